"""Picking and placing by what is seen and felt: joins perception, kinematics and the grip's laws."""
