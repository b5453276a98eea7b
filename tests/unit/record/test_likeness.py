"""Two runs of one program side by side: laws, known differences, and arms drawn at random."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from perturbed_arm import ARM, IDENTIFY, JOINTS, Perturbation, perturbed, recorded

from mecano import tasks
from mecano.core.errors import InvalidInput
from mecano.lab.settings import Settings
from mecano.record.likeness import compare
from mecano.record.likeness_page import page

TICK = 0.01
DRAWS = 8


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    return recorded(perturbed(Perturbation.none()), tmp_path_factory.mktemp("a") / "run")


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """An arm that is different in everything."""
    arm = Perturbation.draw(np.random.default_rng(100))
    return recorded(perturbed(arm), tmp_path_factory.mktemp("b") / "run")


@pytest.fixture(scope="module")
def likeness(simulated, other):
    return compare(simulated, other)


def changed(recording, **columns):
    """Return a recording with other columns of its joints."""
    joints = {ARM: replace(recording.joints[ARM], **columns)}
    return replace(recording, joints=joints)


def differences(likeness, name):
    joints = [joint for joint in likeness.joints if name in joint.quantities]
    return np.array([joint.quantities[name].difference for joint in joints])


QUANTITIES = ("delay", "offset", "hysteresis", "coulomb", "viscous")


# --- laws


@pytest.mark.slow
def test_a_run_is_like_itself(simulated):
    likeness = compare(simulated, simulated)
    assert likeness.alike and likeness.program == 1.0 and likeness.shift == 0.0
    for joint in likeness.joints[:4]:
        assert set(joint.quantities) == set(QUANTITIES)
        assert joint.apart is not None and joint.apart.largest == 0.0
        for quantity in joint.quantities.values():
            assert quantity.difference == 0.0
            assert quantity.interval[0] < 0.0 < quantity.interval[1]
    assert likeness.proposals.toml == "" and likeness.proposals.words == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", QUANTITIES)
def test_runs_exchanged_change_only_the_sign(simulated, other, likeness, name):
    back = compare(other, simulated)
    np.testing.assert_allclose(differences(back, name), -differences(likeness, name), atol=1e-12)
    for there, here in zip(likeness.joints[:4], back.joints[:4], strict=True):
        assert there.quantities[name].half_width == pytest.approx(here.quantities[name].half_width)


@pytest.mark.parametrize("delay", [0.004, 0.02, 0.033])
def test_a_delay_put_into_the_readings_comes_out(simulated, delay):
    columns = simulated.joints[ARM]
    times = simulated.times
    late = np.stack([np.interp(times - delay, times, column) for column in columns.real.T], axis=1)
    found = differences(compare(simulated, changed(simulated, real=late)), "delay")
    np.testing.assert_allclose(found, delay, atol=2e-4)


@pytest.mark.parametrize("offset", [-0.02, 0.0071])
def test_an_offset_put_into_the_readings_comes_out(simulated, offset):
    likeness = compare(simulated, changed(simulated, real=simulated.joints[ARM].real + offset))
    np.testing.assert_allclose(differences(likeness, "offset"), offset, atol=1e-9)
    np.testing.assert_allclose(differences(likeness, "hysteresis"), 0.0, atol=1e-9)


def test_friction_put_into_the_efforts_comes_out(simulated):
    columns = simulated.joints[ARM]
    more = 0.1 * np.sign(columns.velocity) + 0.05 * columns.velocity
    likeness = compare(simulated, changed(simulated, effort=columns.effort + more))
    np.testing.assert_allclose(differences(likeness, "coulomb"), 0.1, rtol=0.05)
    np.testing.assert_allclose(differences(likeness, "viscous"), 0.05, rtol=0.1)


def test_a_later_start_changes_nothing_but_the_shift(simulated):
    def later(values):
        return np.concatenate([np.repeat(values[:1], 150, axis=0), values])

    columns = simulated.joints[ARM]
    names = ("target", "real", "velocity", "effort")
    times = np.concatenate([TICK * np.arange(150), simulated.times + 150 * TICK])
    moved = changed(simulated, **{name: later(getattr(columns, name)) for name in names})
    likeness = compare(simulated, replace(moved, times=times, states=later(simulated.states)))
    assert likeness.shift == pytest.approx(1.5, abs=1e-6) and likeness.program == pytest.approx(1.0)
    assert likeness.joints[0].apart is not None and likeness.joints[0].apart.largest < 1e-6


def test_longer_pauses_between_motions_are_found(simulated):
    columns = simulated.joints[ARM]
    still = np.flatnonzero(np.abs(np.diff(columns.target[:, :4], axis=0)).max(axis=1) < 1e-9)
    rests = [int(i) for i in still if i + 1 in still and i % 200 < 40][::25]
    rows = np.sort(np.r_[np.arange(len(simulated.times)), np.repeat(rests, 60)])
    names = ("target", "real", "velocity", "effort")
    longer = changed(simulated, **{name: getattr(columns, name)[rows] for name in names})
    longer = replace(longer, times=TICK * np.arange(len(rows)), states=simulated.states[rows])
    likeness = compare(simulated, longer)
    assert len(rows) > len(simulated.times) + 100 and likeness.program == pytest.approx(1.0)
    moving = likeness.joints[0].apart
    assert moving is not None and moving.rms < 1e-3


# --- what is missing is said, not guessed


def test_without_efforts_there_is_no_friction(simulated):
    silent = changed(simulated, effort=np.full_like(simulated.joints[ARM].effort, np.nan))
    joint = compare(simulated, silent).joints[0]
    assert "coulomb" not in joint.quantities and "delay" in joint.quantities
    assert any("effort was not recorded" in sentence for sentence in joint.missing)


def test_without_targets_only_friction_is_left(simulated):
    target = np.full_like(simulated.joints[ARM].target, np.nan)
    likeness = compare(simulated, changed(simulated, target=target))
    joint = likeness.joints[0]
    assert set(joint.quantities) == {"coulomb", "viscous"} and likeness.program is None
    assert joint.tracking[1] is None and any("no targets" in each for each in joint.missing)


def test_a_joint_that_rested_is_named(likeness):
    gripper = likeness.joints[-1]
    assert gripper.joint == "gripper" and not gripper.quantities
    assert "it moved 0.000 m" in gripper.missing[0]


# --- refused


def test_nothing_that_moved_is_refused_with_what_to_run(simulated):
    still = changed(simulated, real=np.zeros_like(simulated.joints[ARM].real))
    with pytest.raises(InvalidInput, match=r"too little motion.*joint1.*identify"):
        compare(simulated, still)


def test_another_program_is_refused(simulated):
    columns = simulated.joints[ARM]
    backwards = changed(simulated, target=columns.target[::-1], real=columns.real[::-1])
    with pytest.raises(InvalidInput, match="not runs of one program"):
        compare(simulated, backwards)


def test_other_robots_are_refused(simulated):
    header = simulated.header | {"robots": {ARM: "crumb"}}
    with pytest.raises(InvalidInput, match=r"different robots.*crumb"):
        compare(simulated, replace(simulated, header=header))


# --- what comes out


def test_the_result_is_plain_json(likeness):
    answer = json.loads(json.dumps(likeness.to_json(), allow_nan=False))
    joint = answer["joints"][f"{ARM}/joint1"]
    assert joint["coulomb"]["unit"] == "N m" and joint["coulomb"]["verdict"] == "differs"
    low, high = joint["delay"]["interval"]
    assert low < joint["delay"]["difference"] < high
    assert answer["proposals"]["settings"]["joint1"]["friction"] > 0.05


@pytest.mark.slow
def test_the_page_needs_nothing_else(likeness):
    text = page(likeness)
    assert text.count("data:image/png;base64,") == 4
    assert not re.search(r"(src|href)=.(http|//|file)", text) and "<script" not in text
    for word in ("joint4", "Coulomb friction", "differs", "[joints.joint1]", "mecano calibrate"):
        assert word in text


@pytest.mark.slow
def test_a_simulation_with_the_proposed_settings_is_more_alike(simulated, tmp_path):
    arm = Perturbation.none(friction=0.15, damping=0.08)
    other = recorded(perturbed(arm), tmp_path / "other")
    before = compare(simulated, other)
    file = tmp_path / "like_b.toml"
    file.write_text(before.proposals.toml)
    better = recorded(perturbed(Perturbation.none(), Settings.load(file)), tmp_path / "better")
    after = compare(better, other)
    for name in ("coulomb", "viscous"):
        was, now = (np.abs(differences(each, name)) for each in (before, after))
        assert (now < 0.05 * was).all()
    for old, new in zip(before.joints[:4], after.joints[:4], strict=True):
        assert old.apart is not None and new.apart is not None
        assert new.apart.rms < old.apart.rms


# --- what it builds on


def test_the_motion_to_identify_arrives_everywhere():
    experiment = tasks.get(IDENTIFY)
    result = tasks.run_experiment(experiment)
    assert result.success, result.remark
    assert result.metrics["arrived"] == result.metrics["motions"] == 20


def test_every_joint_swings_both_ways_and_comes_to_its_rests_from_both_sides(simulated):
    for joint in compare(simulated, simulated).joints[:4]:
        assert joint.missing == () and joint.friction[0] is not None
        assert np.ptp(joint.friction[0].velocity) > 2.0


def test_friction_and_damping_are_settings_of_a_joint():
    chosen = {"joints.joint2.friction": 0.3, "joints.joint2.damping": 0.07}
    with perturbed(Perturbation.none(), Settings.load(None, chosen)) as robot:
        model = robot.world.model
        joints = [model.joint(f"{ARM}/{name}") for name in JOINTS]
        assert [float(joint.frictionloss[0]) for joint in joints] == [0.05, 0.3, 0.05, 0.05]
        assert [float(joint.damping[0]) for joint in joints] == [0.0, 0.07, 0.0, 0.0]


@pytest.mark.parametrize("key", ["friction", "damping"])
def test_negative_losses_are_refused(key):
    with pytest.raises(InvalidInput, match=rf"joints\.joint2\.{key}"):
        Settings.load(None, {f"joints.joint2.{key}": -0.1})


# --- arms drawn at random


@pytest.mark.slow
def test_arms_drawn_at_random_with_what_no_estimator_models(simulated, tmp_path, capsys):
    """The bars, in the median over some arms of 4 joints each; over 20 they hold too."""
    errors = {name: [] for name in ("coulomb", "viscous", "offset", "delay")}
    inside = {name: [] for name in errors}
    truths = {name: [] for name in errors}
    for seed in range(DRAWS):
        arm = Perturbation.draw(np.random.default_rng(seed))
        likeness = compare(simulated, recorded(perturbed(arm), tmp_path / str(seed)))
        truth = {
            "coulomb": arm.friction, "viscous": arm.damping, "offset": arm.offset,
            "delay": np.full(4, arm.delay),
        }  # fmt: skip
        for name in errors:
            for i in range(len(JOINTS)):
                quantity = likeness.joints[i].quantities[name]
                error = quantity.difference - truth[name][i]
                errors[name].append(error)
                truths[name].append(truth[name][i])
                inside[name].append(abs(error) <= quantity.half_width)
    median = {}
    with capsys.disabled():
        print()
        for name, values in errors.items():
            e, truth = np.array(values), np.array(truths[name])
            median[name] = np.median(np.abs(e) if name == "delay" else np.abs(e / truth))
            low, high = np.quantile(e, [0.025, 0.975])
            print(
                f"{name:8} median |error| {np.median(np.abs(e)):.2e}, relative "
                f"{np.median(np.abs(e / truth)):.3f}, bias {e.mean():+.2e}, 95 % of errors "
                f"[{low:+.2e}, {high:+.2e}], in the interval {np.mean(inside[name]):.2f}"
            )
    assert median["coulomb"] <= 0.10
    assert median["viscous"] <= 0.10
    assert median["offset"] <= 0.10
    assert median["delay"] <= TICK
