"""Picking and placing by what is seen and felt: perception, kinematics and laws of grips."""
