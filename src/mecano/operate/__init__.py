"""Driving a robot by hand or by script: shell, keyboard, gamepad, scripts on objects."""
