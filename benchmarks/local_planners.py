"""Time of one control cycle of each local planner, and of the whole navigator [us].

A base of MADAR's or CRUMB's kind drives between pillars. 20 Hz at 10 times real time leave 5,000 us
per cycle on one core.
"""

import json
import timeit
from time import process_time

import numpy as np

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import LocalPlanner, LocalView, VelocityLimits
from mecano.planning.navigation.costmap import Inflation, make_costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.local_planners import LOCAL_PLANNERS, local_planner
from mecano.planning.navigation.planner import GridPlanner
from mecano.skills.navigation.following import PlanFollower

BUDGET = 5000.0
"""20 Hz at 10 times real time [us]."""
BASES = {
    "holonomic": (
        Footprint.circle(0.43),
        VelocityLimits(
            max_vel_x=0.27, min_vel_x=-0.27, max_vel_y=0.24, max_vel_theta=0.8, acc_lim_x=0.5,
            acc_lim_y=0.5, acc_lim_theta=1.0,
        ),
    ),
    "differential": (
        Footprint.circle(0.21),
        VelocityLimits(max_vel_x=0.35, max_vel_theta=1.0, acc_lim_x=0.3, acc_lim_theta=3.5),
    ),
}  # fmt: skip


def view_of(footprint: Footprint) -> LocalView:
    """Return a view in a room of 6 x 6 m with pillars, in the middle of a planned path."""
    lethal = np.zeros((120, 120), bool)
    lethal[[0, -1], :] = lethal[:, [0, -1]] = True
    lethal[30:34, 55:59] = lethal[84:88, 60:64] = lethal[60:64, 20:24] = True
    inflation = Inflation(inflation_radius=footprint.circumscribed_radius + 0.3)
    costmap = make_costmap(lethal, footprint, resolution=0.05, inflation=inflation)
    goal = Pose2(5.0, 4.8, 0.0)
    plan = GridPlanner().plan(costmap, Pose2(2.0, 2.6, 0.3), goal)
    return LocalView(
        pose=Pose2(2.0, 2.6, 0.5), speed=(0.2, 0.0, 0.1), costmap=costmap, path=plan.poses,
        goal=goal, period=0.05,
    )  # fmt: skip


def microseconds(planner: LocalPlanner, view: LocalView) -> float:
    """Return the time of the processor for a cycle; best of several rounds."""
    planner.command(view)
    return (
        1e6
        * min(timeit.repeat(lambda: planner.command(view), repeat=9, number=20, timer=process_time))
        / 20
    )


def main() -> None:
    """Print the times as JSON."""
    result: dict[str, dict[str, float]] = {}
    for base, (footprint, limits) in BASES.items():
        view = view_of(footprint)
        times = {"follow": microseconds(PlanFollower(limits), view)}
        for name in LOCAL_PLANNERS:
            if name != "pursuit" or not limits.holonomic:
                times[name] = microseconds(local_planner(name, limits), view)
        result[base] = {name: round(value, 1) for name, value in times.items()}
    print(json.dumps({"budget_us": BUDGET, "cycle_us": result}))


if __name__ == "__main__":
    main()
