"""The base of the BARN benchmark: two driven wheels, a 270 degree LIDAR, 2 m/s."""
