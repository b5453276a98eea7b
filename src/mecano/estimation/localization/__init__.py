"""Where a base is in a known map, from its scans and its odometry."""
