"""The arm behind the bus: simulated time is let pass by the tests, so nothing waits."""

import numpy as np
import pytest

from mecano import robots
from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.bridge.dynamixel.firmware import Profile
from mecano.core.errors import InvalidInput
from mecano.hardware.dynamixel.tables import XM430_W350, HardwareError

TABLE = XM430_W350.registers
WIRES = {wire.id: wire for wire in robots.get("open_manipulator_x").wiring}


def write(arm, servo, **registers):
    for name, raw in registers.items():
        assert arm.servos[servo].write(TABLE[name].address, TABLE[name].encode(raw)) == 0, name


def switch_on(arm, *, gains=True):
    for servo in arm.servos:
        if gains:  # those of the vendor's ROS 2 driver
            write(arm, servo, position_i_gain=100, position_d_gain=100)
        write(arm, servo, torque_enable=1)


def value(arm, servo):
    return float(arm.world.data.joint(f"open_manipulator_x/{WIRES[servo].joint}").qpos[0])


def test_registers_show_the_joints_of_the_model(still_arm):
    for name, wire in WIRES.items():
        seen = wire.value(still_arm.servos[name].get("present_position"))
        assert seen == pytest.approx(value(still_arm, name), abs=abs(wire.per_tick))


@pytest.mark.parametrize("goal", [1500, 2048, 2600])
def test_with_an_integral_gain_goals_are_reached_to_two_ticks(still_arm, goal):
    switch_on(still_arm)
    for name in (11, 13):
        write(still_arm, name, goal_position=goal if name == 11 else 2500)
    still_arm.advance(3.0)
    assert still_arm.servos[11].get("present_position") == pytest.approx(goal, abs=2)
    assert still_arm.servos[13].get("present_position") == pytest.approx(2500, abs=2)
    assert still_arm.servos[11].get("moving") == 0


def test_without_an_integral_gain_the_arm_droops(still_arm):
    # As the servo leaves the factory: P 800, I 0. Nearly stretched out, 1 N m / 18.9 N m/rad.
    switch_on(still_arm, gains=False)
    for name, goal in ((12, 2900), (13, 1450), (14, 1600)):
        write(still_arm, name, goal_position=goal)
    still_arm.advance(3.0)
    droop = still_arm.servos[12].get("present_position") - 2900
    assert 20 < droop < 45


def test_the_fingers_go_where_they_are_sent(still_arm):
    switch_on(still_arm)
    write(still_arm, 15, goal_position=WIRES[15].tick(0.0))
    still_arm.advance(1.5)
    assert value(still_arm, 15) == pytest.approx(0.0, abs=2e-5)


def test_unreversed_the_gripper_goes_the_other_way(still_arm):
    write(still_arm, 15, drive_mode=0)
    still_arm.advance(0.01)
    seen = still_arm.servos[15].get("present_position")
    assert seen == pytest.approx(4096 - WIRES[15].tick(value(still_arm, 15)), abs=1)


def test_a_homing_offset_shifts_what_is_seen(still_arm):
    before = still_arm.servos[11].get("present_position")
    write(still_arm, 11, homing_offset=100)
    still_arm.advance(0.004)
    assert still_arm.servos[11].get("present_position") == before + 100
    write(still_arm, 11, homing_offset=0)


def test_with_the_torque_off_the_arm_sinks(still_arm):
    before = value(still_arm, 13)
    still_arm.advance(0.5)
    assert abs(value(still_arm, 13) - before) > 0.05
    assert still_arm.servos[13].get("present_current") == 0


def test_with_the_torque_on_the_arm_stays(still_arm):
    switch_on(still_arm)
    before = np.array([value(still_arm, name) for name in still_arm.servos])
    still_arm.advance(1.0)
    after = np.array([value(still_arm, name) for name in still_arm.servos])
    np.testing.assert_allclose(after, before, atol=0.01)


def test_velocity_mode_turns_at_the_speed_asked_for(still_arm):
    write(still_arm, 11, operating_mode=1)
    switch_on(still_arm)
    write(still_arm, 11, goal_velocity=20)
    still_arm.advance(1.0)
    assert still_arm.servos[11].get("present_velocity") == pytest.approx(20, abs=1)


def test_current_mode_pushes_with_the_current_asked_for(still_arm):
    write(still_arm, 11, operating_mode=0)
    switch_on(still_arm)
    write(still_arm, 11, goal_current=-60)
    still_arm.advance(0.1)
    servo = still_arm.servos[11]
    assert servo.get("present_current") == pytest.approx(-60, abs=1)
    assert servo.get("present_velocity") < 0


def test_pwm_mode_reaches_the_speed_of_its_voltage(still_arm):
    write(still_arm, 11, operating_mode=16)
    switch_on(still_arm)
    write(still_arm, 11, goal_pwm=177)  # a fifth of 46 rev/min, less friction
    still_arm.advance(1.0)
    speed = still_arm.servos[11].get("present_velocity") * 0.229
    assert 0.9 * 9.2 < speed < 9.2


def test_a_profile_limits_speed_and_acceleration(still_arm):
    switch_on(still_arm)
    # 21.8 rev/min is 38 raw... 0.9 rad/s; 10 raw is 3.7 rad/s2
    write(still_arm, 11, profile_velocity=38, profile_acceleration=10, goal_position=3072)
    speeds = []
    for _ in range(100):
        still_arm.advance(0.02)
        speeds.append(still_arm.servos[11].get("velocity_trajectory"))
    assert max(speeds) == 38
    rise = speeds.index(38) * 0.02
    assert rise == pytest.approx(0.9113 / 3.745, abs=0.05)
    still_arm.advance(1.5)
    assert still_arm.servos[11].get("present_position") == pytest.approx(3072, abs=2)


def test_a_profile_by_time_takes_that_time(still_arm):
    write(still_arm, 11, drive_mode=4)
    switch_on(still_arm)
    write(still_arm, 11, profile_velocity=1000, profile_acceleration=250, goal_position=2600)
    still_arm.advance(0.96)
    assert still_arm.servos[11].get("position_trajectory") < 2600
    still_arm.advance(0.08)
    assert still_arm.servos[11].get("position_trajectory") == 2600


def test_a_profile_never_passes_its_goal():
    profile = Profile(0.0, speed=500.0, acceleration=900.0)
    for _ in range(1000):
        profile.step(321.0, 0.004)
        assert profile.position <= 321.02
    assert profile.position == 321.0 and profile.velocity == 0.0


def test_a_profile_turns_back_without_a_jump():
    profile = Profile(0.0, speed=500.0, acceleration=900.0)
    speeds = [0.0]
    for i in range(2000):
        profile.step(400.0 if i < 150 else -100.0, 0.004)
        speeds.append(profile.velocity)
    assert np.abs(np.diff(speeds)).max() <= 2.02 * 900.0 * 0.004
    assert profile.position == -100.0


def test_mode_five_limits_the_force_of_the_fingers(still_arm):
    switch_on(still_arm)
    write(still_arm, 15, goal_current=100)
    finger = still_arm.world.data.joint("open_manipulator_x/gripper")
    write(still_arm, 15, goal_position=WIRES[15].tick(-0.01) - 300)  # past its end
    still_arm.advance(2.0)
    assert finger.qpos[0] == pytest.approx(-0.01, abs=5e-4)
    assert abs(still_arm.servos[15].get("present_current")) <= 101
    assert still_arm.servos[15].torque


def test_silence_stops_the_servo_where_it_is(still_arm):
    switch_on(still_arm)
    write(still_arm, 11, profile_velocity=20, goal_position=3072, bus_watchdog=10)
    still_arm.bus.last_heard = still_arm.bus.clock.now()
    still_arm.advance(0.19)
    assert not still_arm.servos[11].stopped_by_watchdog
    still_arm.advance(0.3)
    servo = still_arm.servos[11]
    there = servo.get("present_position")
    assert servo.stopped_by_watchdog and 2050 < there < 2500
    still_arm.advance(1.0)
    assert servo.get("present_position") == pytest.approx(there, abs=6)
    assert servo.torque


def test_a_blocked_servo_gives_up_after_a_second(still_arm):
    switch_on(still_arm)
    write(still_arm, 11, goal_position=4095)  # past the end stop, which is at tick 3891
    servo, blocked = still_arm.servos[11], 0.0
    while servo.torque and blocked < 5.0:
        still_arm.advance(0.02)
        blocked += 0.02 * (abs(servo.get("present_current")) > 780)
    assert servo.get("hardware_error_status") == HardwareError.OVERLOAD
    assert not servo.torque and blocked == pytest.approx(1.0, abs=0.1)
    still_arm.advance(0.1)
    assert servo.get("present_current") == 0


def test_time_that_runs_by_itself_cannot_be_advanced():
    with EmulatedArm(scene="empty") as arm, pytest.raises(InvalidInput, match="virtual clock"):
        arm.advance(1.0)


def test_a_robot_without_servos_cannot_be_emulated():
    with pytest.raises(InvalidInput, match="no servos on a bus"):
        EmulatedArm("two_link")


def test_an_impossible_speed_lists_the_possible_ones():
    with pytest.raises(InvalidInput, match="1000000"):
        EmulatedArm(baud=12345)
