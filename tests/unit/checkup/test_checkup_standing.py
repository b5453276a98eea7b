"""Falling over at rest is how far a robot leaves its start, however still it then lies."""

import pytest

from mecano.checkup import check_robot

TYRE = (
    '<geometry><cylinder radius="0.1" length="0.04"/></geometry>'
    '<origin xyz="0 0 0" rpy="1.5707963 0 0"/>'
)


def cart(*, ahead: float, caster: float | None = None, bottom: float = 0.03) -> str:
    """Return a cart on two wheels, 0.1 m in radius.

    Args:
        ahead: How far its centre of mass is before the axle [m].
        caster: Height of the lowest point of a caster 0.2 m before the axle above the floor [m].
        bottom: Of its box above the floor [m].
    """
    middle = bottom - 0.1 + 0.06
    box = f'<origin xyz="0.05 0 {middle}"/><geometry><box size="0.5 0.3 0.12"/></geometry>'
    foot = "" if caster is None else (
        f'<collision><origin xyz="0.2 0 {caster - 0.1 + 0.015}"/>'
        '<geometry><sphere radius="0.015"/></geometry></collision>'
    )  # fmt: skip
    parts = [
        '<robot name="cart"><link name="base_link">'
        f'<inertial><origin xyz="{ahead} 0 {middle}"/><mass value="10"/>'
        '<inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"<visual>{box}</visual><collision>{box}</collision>{foot}</link>"
    ]
    for side, y in (("left", 0.2), ("right", -0.2)):
        parts.append(
            f'<link name="{side}_wheel"><inertial><mass value="1"/>'
            '<inertia ixx="0.003" iyy="0.005" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial>'
            f"<visual>{TYRE}</visual><collision>{TYRE}</collision></link>"
            f'<joint name="{side}_wheel_joint" type="continuous"><parent link="base_link"/>'
            f'<child link="{side}_wheel"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/>'
            '<limit effort="10" velocity="10"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def found(tmp_path, text: str, name: str = "robot.urdf"):
    file = tmp_path / name
    file.write_text(text)
    report = check_robot(file)
    return {each.code: each for each in report.findings if each.severity != "note"}


@pytest.mark.parametrize("bottom", [0.03, 0.06])
def test_cart_that_tips_over_its_axle_and_lies_still_fell_over(tmp_path, bottom):
    """5.8 and 11 degrees until the box lies on the floor."""
    codes = found(tmp_path, cart(ahead=0.1, bottom=bottom))
    assert codes["falls-over"].severity == "error"
    assert (
        "degrees" in codes["falls-over"].message
        and "above the floor" in codes["falls-over"].message
    )


def test_cart_that_rocks_back_fell_over_too(tmp_path):
    assert "falls-over" in found(tmp_path, cart(ahead=-0.05, bottom=0.05))


def test_cart_on_a_caster_stands(tmp_path):
    assert not found(tmp_path, cart(ahead=0.05, caster=0.001))


def test_caster_mounted_too_high_is_a_lean(tmp_path):
    """10 mm over 0.2 m: 2.9 degrees."""
    codes = found(tmp_path, cart(ahead=0.05, caster=0.010))
    assert set(codes) == {"leans-at-rest"}
    assert codes["leans-at-rest"].severity == "warning"
    assert "2.9 degrees" in codes["leans-at-rest"].message


def sprung_car(stiffness: float) -> str:
    """Return a car whose wheels hang on springs."""
    corners = "".join(
        f'<body name="{end}_{side}_arm" pos="{x} {y} 0"><joint name="{end}_{side}_spring" '
        f'type="slide" axis="0 0 1" range="-0.08 0.08" stiffness="{stiffness}" damping="80"/>'
        '<geom type="sphere" size="0.01" mass="0.2" contype="0" conaffinity="0"/>'
        f'<body name="{end}_{side}_wheel"><joint name="{end}_{side}_axle" axis="0 1 0"/>'
        '<geom type="cylinder" size="0.1 0.03" euler="90 0 0" mass="1"/></body></body>'
        for end, x in (("front", 0.25), ("rear", -0.25))
        for side, y in (("left", 0.25), ("right", -0.25))
    )
    motors = "".join(
        f'<velocity name="{end}_{side}" joint="{end}_{side}_axle" kv="2" forcerange="-8 8"/>'
        for end in ("front", "rear")
        for side in ("left", "right")
    )
    return (
        '<mujoco model="car"><compiler autolimits="true"/><worldbody><body name="chassis" '
        'pos="0 0 0.1"><freejoint/><geom type="box" size="0.3 0.18 0.04" pos="0 0 0.06" mass="10"/>'
        f"{corners}</body></worldbody><actuator>{motors}</actuator></mujoco>"
    )


def test_car_that_settles_on_its_springs_stands(tmp_path):
    """It sinks by 12 mm."""
    assert not found(tmp_path, sprung_car(2000.0), "car.xml")


def test_car_whose_springs_give_way_does_not(tmp_path):
    codes = found(tmp_path, sprung_car(20.0), "car.xml")
    assert {"falls-over", "leans-at-rest"} & set(codes)
