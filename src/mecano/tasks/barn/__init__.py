"""The BARN benchmark (Perille, Truong, Xiao and Stone, 2020) in our physics: cylinder fields.

The map is unknown: the robot has its own LIDAR and odometry, and a goal ten metres ahead.
"""

from mecano.tasks.barn.suite import run_suite as run_suite
from mecano.tasks.barn.suite import summarize as summarize
from mecano.tasks.barn.trial import TrialResult as TrialResult
from mecano.tasks.barn.trial import run_trial as run_trial
from mecano.tasks.barn.worlds import BarnWorld as BarnWorld
from mecano.tasks.barn.worlds import load_worlds as load_worlds
from mecano.tasks.barn.worlds import random_world as random_world
