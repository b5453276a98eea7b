"""Messages as ROS has them, and logs of them: codecs, topic names, MCAP files."""
