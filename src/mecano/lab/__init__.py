"""The robot a user programs, and a user's own functions in the place of ours."""
