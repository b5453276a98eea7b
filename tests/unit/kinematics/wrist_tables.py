"""Arms with a spherical wrist to test with: published tables, and arms that nobody builds."""

from math import pi

import numpy as np

from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import Array, rotation_x, rotation_y, rotation_z, translation

NAMES = tuple(f"joint{i}" for i in range(1, 7))


def arm(
    d: tuple[float, ...], a: tuple[float, ...], alpha: tuple[float, ...], *,
    theta: tuple[float, ...] = (0.0,) * 6, base: Array | None = None, tool: Array | None = None,
    limit: float = pi,
) -> DHChain:  # fmt: skip
    """Return a chain from the columns of its standard table [m, rad]."""
    rows = zip(NAMES, theta, d, a, alpha, strict=True)
    return DHChain(
        joints=tuple(
            DHJoint(name=name, theta=t, d=di, a=ai, alpha=al, lower=-limit, upper=limit)
            for name, t, di, ai, al in rows
        ),
        base=np.eye(4) if base is None else base,
        tool=np.eye(4) if tool is None else tool,
    )


H = pi / 2
TILTED = translation(0.1, -0.2, 0.4) @ rotation_z(0.3) @ rotation_y(1.0) @ rotation_x(0.4)
BENT_TOOL = translation(0.03, -0.05, 0.1) @ rotation_y(0.7) @ rotation_x(-2.0)

# P. Corke and B. Armstrong-Helouvry, "A search for consensus among model parameters reported for
# the PUMA 560 robot", ICRA 1994: d3 = 0.15005, a2 = 0.4318, a3 = 0.0203, d4 = 0.4318 [m].
PUMA = arm(
    (0.6718, 0.0, 0.15005, 0.4318, 0.0, 0.05625),
    (0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0),
    (H, 0.0, -H, H, -H, 0.0),
)
# ABB, "Product specification IRB 120", dimensions: 290, 270, 70, 302, 72 mm.
IRB120 = arm(
    (0.29, 0.0, 0.0, 0.302, 0.0, 0.072),
    (0.0, 0.27, 0.07, 0.0, 0.0, 0.0),
    (-H, 0.0, -H, H, -H, 0.0),
    theta=(0.0, -H, 0.0, 0.0, 0.0, pi),
)
# KUKA, "KR 6 R900 sixx specification", dimensions: 400, 25, 455, 35, 420, 80 mm.
KR6 = arm(
    (0.4, 0.0, 0.0, 0.42, 0.0, 0.08),
    (0.025, 0.455, 0.035, 0.0, 0.0, 0.0),
    (-H, 0.0, -H, H, -H, pi),
    theta=(0.0, -H, 0.0, 0.0, 0.0, 0.0),
)
# Axes 1 and 2 are not at right angles and do not meet, axes 2 and 3 are not parallel, and those of
# the wrist are oblique.
ODD = arm(
    (0.2, 0.05, -0.04, 0.3, 0.0, 0.07),
    (0.06, 0.35, 0.08, 0.0, 0.0, 0.0),
    (1.2, 0.4, -1.3, 1.1, -1.2, 0.3),
    theta=(0.1, -0.7, 0.5, 0.2, -0.3, 1.0),
    base=TILTED,
    tool=BENT_TOOL,
)
# Axes 1 and 2 are parallel, as of a SCARA.
SCARA = arm(
    (0.3, 0.1, 0.0, 0.25, 0.0, 0.05),
    (0.3, 0.25, 0.02, 0.0, 0.0, 0.0),
    (0.0, H, -H, H, -H, 0.0),
)
ARMS = {
    "puma": PUMA,
    "irb120": IRB120,
    "kr6": KR6,
    "puma tilted": arm(
        (0.6718, 0.0, 0.15005, 0.4318, 0.0, 0.05625),
        (0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0),
        (H, 0.0, -H, H, -H, 0.0),
        base=TILTED,
        tool=BENT_TOOL,
    ),
    "odd": ODD,
    "scara": SCARA,
}
