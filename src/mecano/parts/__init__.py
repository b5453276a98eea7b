"""The parts of a robot that a user programs: arms, hands, grippers, bases, legs, cups."""
