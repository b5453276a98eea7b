"""What joins estimation, planning and control: a guarded gait."""
