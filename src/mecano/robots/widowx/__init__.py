"""Widow-X: the arm of CRUMB, five joints and a gripper."""
