"""Whether a free robot still stands as it was put: how far it tilts, sinks and slides at rest."""

import math
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.importing.findings import Findings
from mecano.world.world import World

TILT = math.radians(20.0)
"""A body that tilts further at any time fell over."""
TIPPED = math.radians(5.0)
"""So did one that rests tilted by this much on a part of it that began above the floor."""
LEAN = math.radians(5.0)
"""A body that tilts further does not stand as it was put, whatever it rests on."""
ROCK = math.radians(1.0)
"""Nor does one that tilts by this much until another part of it touches the floor."""
SINK = 0.4
"""A body whose centre of mass loses more than this share of its height fell over."""
CLEAR = 0.005
"""What began this far above the floor was not meant to touch it [m]."""
DRIFT = 0.10
"""A base that moves further than this while it is to stand slides [m]."""
CAUSE = (
    "Give it a home posture in which its feet or wheels are under its centre of mass, and motors "
    "that hold it; a base on two wheels needs a caster"
)


@dataclass(frozen=True, eq=False)
class _Place:
    """Where the free body is."""

    position: Array
    """Of its frame in the world [m]. Shape (3,)."""
    rotation: Array
    """`R_world_body`. Shape (3, 3)."""
    mass_height: float
    """Height of the centre of mass of what is rigid with it [m]."""


class Standing:
    """Compares the free body of a robot with how it began."""

    def __init__(self, world: World, body: int, prefix: str) -> None:
        self._world, self._body = world, body
        self._name = f"body {world.model.body(body).name.removeprefix(prefix)}"
        weld = world.model.body_weldid
        self._rigid = np.flatnonzero(weld == weld[body])
        self._start = self._place()
        self._max_tilt = 0.0

    def observe(self) -> None:
        """Remember how far it tilts now."""
        self._max_tilt = max(self._max_tilt, self._tilt(self._place()))

    def report(self, findings: Findings, seconds: float) -> bool:
        """Add how it left its start; return whether it fell over."""
        self.observe()
        end = self._place()
        tilt, raised = self._tilt(end), self._raised_support(end)
        if self._came_upright(end):
            tilt, raised = 0.0, 0.0
        lower = self._start.mass_height - end.mass_height
        sunk = lower / self._start.mass_height if self._start.mass_height > 0.01 else 0.0
        if self._max_tilt > TILT or sunk > SINK or (tilt > TIPPED and raised > CLEAR):
            degrees = math.degrees(self._max_tilt)
            findings.error(
                "falls-over", self._name,
                f"falls over at rest: within {seconds:g} s it tilts by {degrees:.0f} degrees, its "
                f"centre of mass is {1e3 * lower:.0f} mm lower{_lies_on(raised)}. {CAUSE}",
            )  # fmt: skip
            return True
        self._lean(findings, seconds, tilt, lower, raised)
        self._drift(findings, seconds, end)
        return False

    def _lean(
        self, findings: Findings, seconds: float, tilt: float, lower: float, raised: float
    ) -> None:
        """Add that it leans, or lies on what should not touch the floor."""
        if tilt > LEAN or (tilt > ROCK and raised > CLEAR):
            findings.warn(
                "leans-at-rest", self._name,
                f"does not stand as it was put: after {seconds:g} s it leans by "
                f"{math.degrees(tilt):.1f} degrees{_lies_on(raised)}. Compare the heights of its "
                "wheels, casters or feet, and look at springs and gains that give way",
            )  # fmt: skip
        elif raised > CLEAR:
            findings.warn(
                "leans-at-rest", self._name,
                f"sinks by {1e3 * lower:.0f} mm at rest{_lies_on(raised)}. Look at what should "
                "carry it: wheels or feet without collision shapes, springs and gains that give "
                "way",
            )  # fmt: skip

    def _drift(self, findings: Findings, seconds: float, end: _Place) -> None:
        """Add that it slides."""
        drift = float(np.linalg.norm((end.position - self._start.position)[:2]))
        if drift > DRIFT:
            findings.warn(
                "slides-at-rest", self._name,
                f"moved by {1e3 * drift:.0f} mm in {seconds:g} s although nothing drives it; look "
                "at friction, wheels and contacts in the home posture",
            )  # fmt: skip

    def _tilt(self, place: _Place) -> float:
        """Return the angle between its upward axis and that at the start [rad]."""
        upward = self._start.rotation[2] @ place.rotation[2]
        return math.acos(float(np.clip(upward, -1.0, 1.0)))

    def _came_upright(self, end: _Place) -> bool:
        """Tell whether it began at a small angle and now stands straighter."""
        return math.cos(TILT) < self._start.rotation[2, 2] < end.rotation[2, 2]

    def _raised_support(self, end: _Place) -> float:
        """Return how high above the floor what it lies on now began [m]; 0 without such a contact.

        Only shapes that are rigid with the free body count: wheels and casters turn.
        """
        model, data = self._world.model, self._world.data
        heights = [0.0]
        for number in range(data.ncon):
            contact = data.contact[number]
            bodies = [int(model.geom_bodyid[geom]) for geom in contact.geom]
            on_body = [body in self._rigid for body in bodies]
            fixed = [int(model.body_weldid[body]) == 0 for body in bodies]
            if any(on_body) and any(fixed) and contact.efc_address >= 0:
                here = end.rotation.T @ (contact.pos - end.position)
                began = self._start.position + self._start.rotation @ here
                heights.append(float(began[2] - contact.pos[2]))
        return max(heights)

    def _place(self) -> _Place:
        self._world.refresh_poses()
        model, data = self._world.model, self._world.data
        weights = model.body_mass[self._rigid]
        heights = data.xipos[self._rigid, 2]
        middle = float(np.average(heights, weights=weights)) if weights.sum() > 0.0 else 0.0
        return _Place(
            data.xpos[self._body].copy(), data.xmat[self._body].reshape(3, 3).copy(), middle
        )


def _lies_on(raised: float) -> str:
    if raised <= CLEAR:
        return ""
    return f", and it lies on a part that began {1e3 * raised:.0f} mm above the floor"
