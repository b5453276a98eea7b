"""OpenMANIPULATOR-X: four joints and a gripper on a table."""
