"""What joins robots and programs: for now, a user's own functions in the place of ours."""
