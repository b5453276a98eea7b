"""Compiled forward kinematics gives the bits that numpy gives."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.kinematics import DHChain, DHJoint, dh_fast

ARMS = {name: robots.get(name).chain().dh for name in ("open_manipulator_x", "widowx", "ur5")}
number = st.floats(-2.0, 2.0)


@pytest.fixture(scope="module", autouse=True)
def kernels():
    if not dh_fast.prepare():
        pytest.skip("numpy of this machine adds up in another order; the kernels are not used")


@st.composite
def chains(draw) -> DHChain:
    rows = draw(st.lists(st.tuples(number, number, number, number, st.booleans()), min_size=1))
    return DHChain(
        joints=tuple(
            DHJoint(
                name=f"j{i}", theta=theta, d=d, a=a, alpha=alpha,
                kind="prismatic" if slides else "revolute",
            )
            for i, (theta, d, a, alpha, slides) in enumerate(rows)
        ),
        convention=draw(st.sampled_from(["standard", "modified"])),
    )  # fmt: skip


def same_bits(chain: DHChain, q: np.ndarray) -> None:
    frames = chain.joint_frames_by_numpy(q)
    J = chain.jacobian_from_frames_by_numpy(frames)
    assert chain.forward(q).tobytes() == chain.forward_by_numpy(q).tobytes()
    assert chain.joint_frames(q).tobytes() == frames.tobytes()
    for ours in (chain.jacobian(q), chain.jacobian_from_frames(frames)):
        assert ours.tobytes() == J.tobytes() and ours.strides == J.strides


@settings(deadline=None)
@given(chain=chains(), data=st.data())
def test_any_chain_gives_the_same_bits(chain, data):
    n = len(chain.joints)
    same_bits(chain, np.array(data.draw(st.lists(st.floats(-7, 7), min_size=n, max_size=n))))


@pytest.mark.parametrize("name", ARMS)
def test_robots_give_the_same_bits(name):
    chain = ARMS[name]
    for q in np.random.default_rng(0).uniform(-3.0, 3.0, (500, len(chain.joints))):
        same_bits(chain, q)
    same_bits(chain, np.zeros(len(chain.joints)))


def test_strided_and_read_only_postures_are_taken():
    chain = ARMS["ur5"]
    wide = np.random.default_rng(1).uniform(-1.0, 1.0, (6, 3))
    frozen = wide[:, 0].copy()
    frozen.flags.writeable = False
    compiled = len(dh_fast.kernels().forward.signatures)  # type: ignore[union-attr]
    assert np.array_equal(chain.forward(wide[:, 0]), chain.forward(frozen))
    assert np.array_equal(chain.jacobian(wide[:, 0]), chain.jacobian(frozen))
    assert len(dh_fast.kernels().forward.signatures) == compiled  # type: ignore[union-attr]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(bad):
    with pytest.raises(InvalidInput, match="must be finite"):
        ARMS["ur5"].forward([0.0, 0.0, bad, 0.0, 0.0, 0.0])


def test_a_few_postures_load_no_compiler():
    program = (
        "import sys, numpy as np\n"
        "from mecano import robots\n"
        "arm = robots.get('ur5').chain().dh\n"
        "for _ in range(100): arm.forward(np.zeros(6)); arm.jacobian(np.zeros(6))\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
