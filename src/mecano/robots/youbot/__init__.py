"""KUKA youBot: four mecanum wheels, a tray, an arm of five joints with a parallel gripper."""
