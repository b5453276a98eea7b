"""What to change so that the simulation is more like the other run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mecano.record.likeness_result import JointLikeness

SETTINGS = {"coulomb": ("friction", "N m"), "viscous": ("damping", "N m s/rad")}
"""The setting of a joint that a quantity becomes, and its unit."""


@dataclass(frozen=True, kw_only=True)
class Proposals:
    """Changes to the simulation of run A."""

    settings: dict[str, dict[str, float]]
    """By joint: `friction` [N m], `damping` [N m s/rad]."""
    toml: str
    """The same as a settings file with what was before; empty if nothing need be changed."""
    words: tuple[str, ...]
    """What no setting changes, a sentence each."""

    @property
    def flags(self) -> str:
        """The same settings as options of `mecano run`."""
        return " ".join(
            f"--set joints.{joint}.{key}={value:g}"
            for joint, changes in self.settings.items()
            for key, value in changes.items()
        )

    def to_json(self) -> dict[str, Any]:
        """Return them as plain values."""
        return {"settings": self.settings, "toml": self.toml, "words": list(self.words)}


def propose(
    joints: "Sequence[JointLikeness]", losses: Mapping[str, Mapping[str, tuple[float, float]]]
) -> Proposals:
    """Return what would make run A more like run B.

    Args:
        joints: The comparison.
        losses: Coulomb friction and damping in the model of A, by robot and joint.
    """
    settings: dict[str, dict[str, float]] = {}
    lines, words = [], []
    for joint in joints:
        changes = {}
        for (name, (key, unit)), was in zip(
            SETTINGS.items(), losses[joint.robot][joint.joint], strict=True
        ):
            quantity = joint.quantities.get(name)
            if quantity is not None and quantity.differs:
                changes[key] = round(max(was + quantity.difference, 0.0), 4)
                lines.append((joint.joint, f"{key} = {changes[key]:g}  # {unit}, was {was:g}"))
        if changes:
            settings[joint.joint] = changes
        words += _offset_words(joint)
    words += _delay_words(joints)
    if any("damping" in changes for changes in settings.values()):
        words.append(
            "damping holds only if both runs read their efforts at the same moment of a tick "
            "(docs/compare.md); friction does not depend on it"
        )
    text = ""
    for name in settings:
        own = [line for joint, line in lines if joint == name]
        text += f"[joints.{name}]\n" + "".join(f"{line}\n" for line in own) + "\n"
    return Proposals(settings=settings, toml=text.rstrip("\n"), words=tuple(words))


def _offset_words(joint: "JointLikeness") -> list[str]:
    words = []
    offset, hysteresis = (joint.quantities.get(name) for name in ("offset", "hysteresis"))
    if offset is not None and offset.differs:
        words.append(
            f"{joint.joint} stands {1000 * offset.difference:+.1f} m{joint.unit} from where A "
            "stands: calibrate its zero (mecano calibrate)"
        )
    if hysteresis is not None and hysteresis.differs:
        words.append(
            f"{joint.joint} stops {1000 * abs(hysteresis.difference):.1f} m{joint.unit} "
            f"{'further' if hysteresis.difference > 0 else 'shorter'} on its way than A: friction "
            "or play of the gears; only friction has a setting"
        )
    return words


def _delay_words(joints: "Sequence[JointLikeness]") -> list[str]:
    late = [
        joint.quantities["delay"].difference
        for joint in joints
        if "delay" in joint.quantities and joint.quantities["delay"].differs
    ]
    if not late:
        return []
    spread = f"{1000 * min(late):+.0f} to {1000 * max(late):+.0f} ms"
    return [
        f"delays of B less those of A are {spread}: look at the latency of the bus "
        "(return delay time, latency timer of the adapter); no setting of the simulation changes it"
    ]
