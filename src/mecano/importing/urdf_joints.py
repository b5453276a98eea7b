"""Reads joints; everything odd about them becomes a finding."""

import math
from difflib import get_close_matches

import numpy as np

from mecano.importing.files import Element
from mecano.importing.urdf_model import JOINT_KINDS, Joint, JointKind, Limit, Mimic
from mecano.importing.urdf_numbers import HUGE, MISSING, NumberReader, did_you_mean

SIMILAR = 0.55
"""An unknown type this similar to a known one is read as that."""


def joint_kind(element: Element) -> JointKind:
    """Return what a joint is; one with an unknown type is what it looks like.

    So that its axis and limits are looked at in the same pass: the type that is spelt most like it,
    or else one that turns, if it has an axis or limits.
    """
    word = element.attributes.get("type", "")
    like = get_close_matches(word.lower(), JOINT_KINDS, n=1, cutoff=SIMILAR)
    if like:
        return next(kind for kind in JOINT_KINDS if kind == like[0])
    limit = element.first("limit")
    if limit is not None and {"lower", "upper"} & set(limit.attributes):
        return "revolute"
    return "fixed" if limit is None and element.first("axis") is None else "continuous"


class JointReader(NumberReader):
    """Reads the joints of one file."""

    def joint(self, element: Element) -> Joint:
        """Return a joint; one without parent or child has "" there."""
        name = element.attributes.get("name", "")
        owner = f"joint {name}"
        where = f"{owner} ({element.place})"
        ends: list[str] = []
        for tag in ("parent", "child"):
            end = element.first(tag)
            link = "" if end is None else end.attributes.get("link", "")
            if not link:
                self.findings.error(
                    MISSING, where, f'has no <{tag} link="..."/>, so it connects nothing; add it'
                )
            ends.append(link)
        kind = self._kind(element, where)
        dynamics = element.first("dynamics")
        return Joint(
            name=name,
            kind=kind,
            parent=ends[0],
            child=ends[1],
            origin=self.origin(element, owner=owner),
            axis=self._axis(element, kind, owner=owner),
            limit=self._limit(element, owner=owner),
            mimic=self._mimic(element, owner=owner),
            damping=self._dynamic(dynamics, "damping", owner=owner),
            friction=self._dynamic(dynamics, "friction", owner=owner),
            line=element.line,
        )

    def _kind(self, element: Element, where: str) -> JointKind:
        word, kind = element.attributes.get("type", ""), joint_kind(element)
        if word == kind:
            return kind
        problem = f"has the type '{word}'" if word else "has no type"
        self.findings.error(
            "joint-type", where,
            f"{problem}; allowed: {', '.join(JOINT_KINDS)}"
            f"{did_you_mean(word, JOINT_KINDS)}. It was taken as {kind}",
        )  # fmt: skip
        return kind

    def _axis(self, element: Element, kind: str, *, owner: str) -> np.ndarray:
        axis = element.first("axis")
        default = (1.0, 0.0, 0.0)  # the specification's own
        if axis is None:
            values: tuple[float, ...] = default
            if kind in ("revolute", "continuous", "prismatic"):
                self.findings.note(
                    "axis-missing", f"{owner} ({element.place})",
                    "has no <axis>; URDF takes 1 0 0 then. Write it down if that is meant",
                )  # fmt: skip
        else:
            given = self.numbers(axis, "xyz", 3, default, owner=owner)
            assert given is not None
            values = given
        length = math.hypot(*values)
        where = f"{owner} ({(axis or element).place})"
        moves = kind not in ("fixed", "floating")
        if length < 1e-9:
            if moves:
                self.findings.error(
                    "axis-zero", where,
                    "axis 0 0 0 has no direction; 1 0 0 was taken. Write the axis it turns about",
                )  # fmt: skip
            values, length = default, 1.0
        elif abs(length - 1.0) > 1e-3 and moves:
            self.findings.warn(
                "axis-not-unit", where,
                f"axis {' '.join(f'{value:g}' for value in values)} has length {length:.4g}, must "
                "be 1; it was normalised",
            )  # fmt: skip
        unit = np.array(values) / length
        unit.setflags(write=False)
        return unit

    def _limit(self, element: Element, *, owner: str) -> Limit | None:
        limit = element.first("limit")
        if limit is None:
            return None
        return Limit(
            lower=self._bound(limit, "lower", owner=owner),
            upper=self._bound(limit, "upper", owner=owner),
            effort=self._bound(limit, "effort", owner=owner),
            velocity=self._bound(limit, "velocity", owner=owner),
        )

    def _bound(self, limit: Element, attribute: str, *, owner: str) -> float | None:
        """Return one number of a <limit>; a huge one is no limit."""
        try:
            value = float(limit.attributes.get(attribute, "0"))
        except ValueError:
            value = 0.0
        if abs(value) > HUGE and not math.isnan(value):
            self.findings.note(
                "limit-huge", f"{owner} ({limit.place})",
                f"{attribute} {value:g} is no limit; leave it out, or make the joint continuous",
            )  # fmt: skip
            return None
        return self.number(limit, attribute, None, owner=owner)

    def _mimic(self, element: Element, *, owner: str) -> Mimic | None:
        mimic = element.first("mimic")
        if mimic is None:
            return None
        joint = mimic.attributes.get("joint", "")
        if not joint:
            self.findings.error(
                MISSING, f"{owner} ({mimic.place})", "<mimic> names no joint; add joint=..."
            )
            return None
        multiplier = self.number(mimic, "multiplier", 1.0, owner=owner)
        offset = self.number(mimic, "offset", 0.0, owner=owner)
        assert multiplier is not None
        assert offset is not None
        return Mimic(joint=joint, multiplier=multiplier, offset=offset)

    def _dynamic(self, dynamics: Element | None, attribute: str, *, owner: str) -> float:
        if dynamics is None:
            return 0.0
        value = self.number(dynamics, attribute, 0.0, owner=owner)
        assert value is not None
        if value < 0.0:
            self.findings.error(
                "damping-negative", f"{owner} ({dynamics.place})",
                f"{attribute} {value:g} would add energy; must be 0 or more; 0 was taken",
            )  # fmt: skip
        return max(value, 0.0)
