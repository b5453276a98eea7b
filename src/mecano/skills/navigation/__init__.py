"""Driving to a goal: planner, controller, recoveries and watchdogs as one state machine."""
