"""Reinforcement learning: Gymnasium environments of our robots; importing this registers them.

import gymnasium
import mecano.gym

env = gymnasium.make("mecano/OpenManipulatorReach-v0")
"""

from mecano.core.errors import MissingExtra

try:
    import gymnasium as gymnasium
except ImportError:
    raise MissingExtra("gymnasium", "gym", purpose="mecano.gym") from None

from gymnasium import make as make
from gymnasium import make_vec as make_vec

from mecano.gym.registration import ENVIRONMENTS as ENVIRONMENTS
from mecano.gym.registration import register_all

register_all()
