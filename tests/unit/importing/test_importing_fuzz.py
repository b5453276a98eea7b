"""Random damage: whatever is done to a file, there is a report and no traceback, hang or NaN."""

import math
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from urdf_samples import ARM, write_arm

from mecano.checkup import check_robot
from mecano.importing.findings import UnreadableRobot
from mecano.importing.repair import repair_urdf
from mecano.importing.urdf import UrdfRobot, read_urdf
from mecano.importing.urdf_checks import check_urdf

ATTRIBUTES = [match.span() for match in re.finditer(r'\s[\w]+="[^"]*"', ARM)]
VALUES = [match.span(1) for match in re.finditer(r'="([^"]*)"', ARM)]
ELEMENTS = [
    match.span() for match in re.finditer(r"<(?!\?)[^/>]+/>|<(\w+)[^>]*>.*?</\1>", ARM, re.S)
]
STRANGE = st.sampled_from(
    ["", "nan", "inf", "-inf", "0", "-1", "1e308", "-1e-320", "1e9", "0 0", "0 0 0", "nan 0 0",
     "1,5", "0x10", "base", "upper", "hand", "left", "'", "${x}", "\u0000".strip("\u0000"), "🦾",
     "../../../../etc/passwd", "package://", "mesh", "1 " * 50]
)  # fmt: skip


@st.composite
def mutation(draw):
    """A way to damage the text: drop, repeat or replace an attribute or element."""
    kind = draw(st.sampled_from(["drop", "value", "repeat", "remove", "swap"]))
    if kind == "drop":
        start, end = draw(st.sampled_from(ATTRIBUTES))
        return start, end, ""
    if kind == "value":
        start, end = draw(st.sampled_from(VALUES))
        return start, end, draw(STRANGE)
    if kind == "swap":
        (start, end), (a, b) = draw(st.sampled_from(VALUES)), draw(st.sampled_from(VALUES))
        return start, end, ARM[a:b]
    start, end = draw(st.sampled_from(ELEMENTS))
    return start, end, "" if kind == "remove" else ARM[start:end] * 2


def mutated(changes) -> str:
    text, last = ARM, len(ARM) + 1
    for start, end, new in sorted(changes, reverse=True):
        if end <= last:  # from the back, and never twice in one place
            text, last = text[:start] + new + text[end:], start
    return text


def read(file) -> UrdfRobot | None:
    """Return the robot, or None if the file was refused."""
    try:
        return read_urdf(file)
    except UnreadableRobot:
        return None


def check_reading(file) -> None:
    robot = read(file)
    if robot is None:
        return
    assert robot.root in robot.links
    for joint in robot.joints.values():
        assert joint.parent in robot.links and joint.child in robot.links
        assert math.isclose(math.hypot(*joint.axis), 1.0, rel_tol=1e-9)
        limit = joint.limit
        if joint.kind in ("revolute", "prismatic") and limit is not None:
            assert limit.lower is None or limit.upper is None or limit.lower < limit.upper
    for link in robot.links.values():
        if link.inertial is not None:
            assert link.inertial.mass > 0.0 and math.isfinite(link.inertial.inertia.sum())
    for each in check_urdf(robot):
        assert each.code == "name-characters" or "nan" not in each.message.split()
    repair_urdf(file)


free = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@free
@given(changes=st.lists(mutation(), min_size=1, max_size=4))
def test_damaged_elements_are_read_or_refused(tmp_path, changes):
    check_reading(write_arm(tmp_path, mutated(changes), mesh=False))


@free
@given(cut=st.integers(0, len(ARM)), noise=st.binary(max_size=40))
def test_cut_off_and_noisy_text_is_read_or_refused(tmp_path, cut, noise):
    file = write_arm(tmp_path, mesh=False)
    file.write_bytes(ARM[:cut].encode() + noise)
    check_reading(file)
    file.write_bytes(ARM[:cut].encode() + noise + ARM[cut:].encode())
    check_reading(file)


@free
@given(content=st.binary(max_size=400))
def test_random_bytes_are_refused(tmp_path, content):
    file = tmp_path / "arm.urdf"
    file.write_bytes(content)
    with pytest.raises(UnreadableRobot):
        read_urdf(file)


@settings(free, max_examples=15)
@given(changes=st.lists(mutation(), min_size=1, max_size=3))
def test_damaged_robots_are_simulated_or_refused(tmp_path, changes):
    file = write_arm(tmp_path, mutated(changes))
    report = check_robot(file, seconds=0.2)
    speed = report.rest.max_speed
    assert speed is None or math.isfinite(speed)
    assert "internal-error" not in {each.code for each in report.findings}, report.findings
    assert report.ok or report.findings
