"""Tables that write pi/2 with eleven digits keep their solutions near singular postures."""

from dataclasses import replace

import numpy as np
import pytest
from ur_tables import table

from mecano.core.poses import quaternion_from_matrix
from mecano.kinematics.chain import Chain

NEAR = [
    (0.9, -0.7, 1.7, -2.06, 1e-5, 0.3),  # wrist nearly in line
    (-1.0, -0.7, -0.026, 1.73, -3.3e-4, 2.3),  # and elbow nearly stretched
    (1.3, 0.36, -0.0084, -1.15, -0.0079, -2.8),
    (-0.87, 1.17, 2.05, 0.44, -0.0055, 2.8),
    (0.4, 0.9, 0.004, 0.4, 2e-5, 1.0),
]


@pytest.fixture(scope="module")
def chain() -> Chain:
    """Return a UR arm whose right angles are 4.9e-12 rad off, as of a file."""
    exact = table("ur5")
    turned = [replace(row, alpha=float(f"{row.alpha:.11f}")) for row in exact.joints]
    return Chain(name="arm", dh=replace(exact, joints=tuple(turned)))


@pytest.mark.parametrize("posture", NEAR)
def test_a_singular_posture_is_found_again(chain, posture):
    """With 5e-12 counted as exact these were 1e-6 to 5e-5 rad off."""
    assert chain.solver == "ur"
    q = np.array(posture)
    T = chain.forward(q)
    found = chain.inverse(T[:3, 3], quaternion=quaternion_from_matrix(T[:3, :3]), start=q)
    assert min(np.abs(np.asarray(each) - q).max() for each in found.solutions) < 1e-7
