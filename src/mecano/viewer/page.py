"""Putting a page together: the scene, and a panel for each thing the robots have."""

from collections.abc import Callable

import viser

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.lab.robot import Robot
from mecano.viewer.panels.arm import ArmPanel
from mecano.viewer.panels.base import BasePanel
from mecano.viewer.panels.belief import BeliefPanel
from mecano.viewer.panels.clock import ClockPanel
from mecano.viewer.panels.cups import CupsPanel
from mecano.viewer.panels.footprint import FootprintPanel
from mecano.viewer.panels.gripper import GripperPanel
from mecano.viewer.panels.handle import HandlePanel
from mecano.viewer.panels.hands import HandsPanel
from mecano.viewer.panels.legs import LegsPanel
from mecano.viewer.panels.look import LookPanel
from mecano.viewer.panels.navigation import NavigationPanel
from mecano.viewer.panels.panel import Desk, Panel, line
from mecano.viewer.panels.paths import TrailPanel, add_paths
from mecano.viewer.panels.plots import PlotsPanel, has_curves
from mecano.viewer.panels.ranges import RangesPanel
from mecano.viewer.panels.scan import ScanPanel
from mecano.viewer.panels.workspace import WorkspacePanel
from mecano.viewer.samples import Sample
from mecano.viewer.sampling import arms_of, grippers_of, has_lidars, has_ranges, moves_about
from mecano.viewer.stage import Stage
from mecano.world.mirror import Mirror

BLUE = (25, 113, 194)


def build_page(
    desk: Desk,
    robots: dict[str, Robot],
    sample: Sample,
    *,
    title: str,
    program: bool,
    reset: Callable[[], None],
) -> tuple[Stage, list[Panel]]:
    """Return the scene and the panels of a page; `program` locks the controls of the robots."""
    theme(desk.server)
    first = next(iter(robots.values()))
    stage = Stage(desk.server, Mirror(first.world.model))
    stage.show(sample.state)
    stage.frame_all(_tour(first))  # in its posture: stretched arms need more room
    gui = desk.server.gui
    gui.add_html(line(title or ", ".join(robot.description.title for robot in robots.values())))
    panels: list[Panel] = []
    tabs = gui.add_tab_group()
    pace = first.session.pace
    assert pace is not None
    with tabs.add_tab("Control", icon=viser.Icon.ADJUSTMENTS):
        panels.append(ClockPanel(desk, pace, reset=None if program else reset))
        if program:
            _add_takeover(desk)
        for robot in robots.values():
            panels += _robot_panels(desk, robot, sample, several=len(robots) > 1)
    with tabs.add_tab("Look", icon=viser.Icon.EYE):
        panels.append(LookPanel(desk, stage))
        panels += add_paths(desk, robots)
        for robot in robots.values():
            panels += _layers(desk, robot, sample, several=len(robots) > 1)
    if has_curves(robots):
        with tabs.add_tab("Plots", icon=viser.Icon.CHART_LINE):
            panels.append(PlotsPanel(desk, robots))
    for panel in panels:
        panel.update(sample)
    return stage, panels


def _tour(robot: Robot) -> Array | None:
    """Return where the tour of the scene leads, if it has one. Shape (n, 2)."""
    try:
        tour = robot.paths.get("tour")
    except MecanoError:  # told where paths are drawn
        return None
    return None if tour is None else tour.sample(0.5)[:, :2]


def theme(server: viser.ViserServer) -> None:
    """Make the page ours."""
    server.gui.configure_theme(
        brand_color=BLUE, show_logo=False, show_share_button=False, control_width="medium"
    )


def _robot_panels(desk: Desk, robot: Robot, sample: Sample, *, several: bool) -> list[Panel]:
    """Return a panel for each part that the robot has."""
    if several:
        desk.server.gui.add_html(line(f"{robot.name}: {robot.description.title}"))
    panels: list[Panel] = []
    for number, (name, arm) in enumerate(arms_of(robot).items()):
        panel = ArmPanel(desk, name, arm, folded=number > 0)
        panels += [panel, HandlePanel(desk, panel, sample.arms[name].base)]
    for name, gripper in grippers_of(robot).items():
        panels.append(GripperPanel(desk, name, gripper))
    if robot.hands:
        panels.append(HandsPanel(desk, robot))
    if "base" in robot.parts:
        panels.append(BasePanel(desk, robot))
    if "cups" in robot.parts:
        panels.append(LegsPanel(desk, robot))
    if "cups" in robot.parts:
        panels.append(CupsPanel(desk, robot, sample))
    if has_ranges(robot):
        panels.append(RangesPanel(desk, robot, sample))
    return panels


def _layers(desk: Desk, robot: Robot, sample: Sample, *, several: bool) -> list[Panel]:
    """Return what can be drawn into the scene around a robot."""
    panels: list[Panel] = []
    if moves_about(robot):
        panels.append(TrailPanel(desk, robot, several=several))
    if "base" in robot.parts:
        panels.append(FootprintPanel(desk, robot, several=several))
        panels.append(BeliefPanel(desk, robot, several=several))
        panels.append(NavigationPanel(desk, robot, several=several))
    if has_lidars(robot):
        panels.append(ScanPanel(desk, robot, several=several))
    for number, (name, arm) in enumerate(arms_of(robot).items()):
        base = sample.arms[name].base
        panels.append(WorkspacePanel(desk, name, arm, base, folded=number > 0))
    return panels


def _add_takeover(desk: Desk) -> None:
    """Lock the controls while a program has the robot, until a person asks for them."""
    take = desk.server.gui.add_checkbox(
        "take the controls from the program", initial_value=False,
        hint="what you then do changes the run; its record says so",
    )  # fmt: skip
    desk.takeover = desk.changes(take, lambda: desk.lock(not take.value))
