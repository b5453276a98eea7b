"""A user's own function in the place of one of ours, in a process of its own."""
