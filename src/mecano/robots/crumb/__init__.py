"""CRUMB: a Turtlebot 2 (Kobuki, plates, Kinect) that carries a Widow-X arm."""
