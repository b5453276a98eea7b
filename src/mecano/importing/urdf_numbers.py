"""Reads numbers and poses of XML elements; what is no finite number becomes a finding."""

import math
from difflib import get_close_matches

from mecano.core.poses import Pose
from mecano.importing.files import Element
from mecano.importing.findings import Findings

HUGE = 1e9
"""No number of a robot in SI units is larger; squares of larger ones would overflow."""
MISSING = "attribute-missing"
"""Code of what needs to be there."""


class NumberReader:
    """Reads numbers of one file."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def numbers(
        self, element: Element, attribute: str, count: int, default: tuple[float, ...] | None, *,
        owner: str,
    ) -> tuple[float, ...] | None:  # fmt: skip
        """Return the numbers of an attribute, or the default with a finding."""
        text = element.attributes.get(attribute)
        if text is None:
            return default
        where = f"{owner} ({element.place})"
        name = f"<{element.tag}> {attribute}"
        words = text.split()
        try:
            values = tuple(float(word) for word in words)
        except ValueError:
            hint = "; write decimals with a point" if "," in text else ""
            meant = with_points(text, count)
            if meant:
                default = tuple(float(word) for word in meant.split())
            self.findings.error(
                "number-invalid", where,
                f"{name}={short(text)} is not {_count(count)}{hint}; {_taken(default)}",
            )  # fmt: skip
            return default
        if len(values) != count:
            self.findings.error(
                "number-count", where,
                f"{name}={short(text)} has {len(values)} numbers, must have {count}; "
                f"{_taken(default)}",
            )  # fmt: skip
            return default
        if not all(math.isfinite(value) for value in values):
            self.findings.error(
                "number-nonfinite", where,
                f"{name}={short(text)} is not finite; {_taken(default)}",
            )  # fmt: skip
            return default
        if any(abs(value) > HUGE for value in values):
            self.findings.error(
                "number-huge", where,
                f"{name}={short(text)} is larger than {HUGE:g}; use SI units; {_taken(default)}",
            )  # fmt: skip
            return default
        return values

    def number(
        self, element: Element, attribute: str, default: float | None, *, owner: str
    ) -> float | None:
        """Return the number of an attribute, or the default."""
        fallback = None if default is None else (default,)
        values = self.numbers(element, attribute, 1, fallback, owner=owner)
        return None if values is None else values[0]

    def origin(self, element: Element, *, owner: str) -> Pose:
        """Return the pose of an element's <origin>; the identity without one."""
        origin = element.first("origin")
        if origin is None:
            return Pose()
        xyz = self.numbers(origin, "xyz", 3, (0.0, 0.0, 0.0), owner=owner)
        rpy = self.numbers(origin, "rpy", 3, (0.0, 0.0, 0.0), owner=owner)
        assert xyz is not None
        assert rpy is not None
        if max(map(abs, rpy)) > 2 * math.pi + 0.01:
            self.findings.warn(
                "angle-degrees", f"{owner} ({origin.place})",
                f"rpy={short(origin.attributes['rpy'])} has an angle beyond a full turn "
                "(6.283 rad); URDF angles are radians, these look like degrees",
            )  # fmt: skip
        return Pose.from_xyz_rpy(xyz, rpy)


def with_points(text: str, count: int) -> str:
    """Return numbers that are written with decimal commas with points; "" if that is no answer."""
    words = text.split()
    points = text.replace(",", ".")
    if "," not in text or any(word.count(",") > 1 for word in words):
        return ""
    return points if are_numbers(points, count) else ""


def are_numbers(text: str, count: int) -> bool:
    """Tell whether a text is so many finite numbers."""
    words = text.split()
    try:
        return len(words) == count and all(math.isfinite(float(word)) for word in words)
    except ValueError:
        return False


def short(text: str) -> str:
    """Return a text in quotes, cut off where it is long."""
    text = " ".join(text.split())
    return f"'{text[:57]}...'" if len(text) > 60 else f"'{text}'"


def _count(count: int) -> str:
    return "a number" if count == 1 else f"{count} numbers"


def _taken(default: tuple[float, ...] | None) -> str:
    if default is None:
        return "it is left out"
    return f"{' '.join(f'{value:g}' for value in default)} was taken"


def did_you_mean(word: str, known: tuple[str, ...]) -> str:
    """Return a question with the known word that is most like a wrong one, or nothing."""
    guess = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return f"; did you mean '{guess[0]}'?" if guess else ""
