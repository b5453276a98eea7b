"""A robot between its file and its folder: its model as XML, and what the file says beside it."""

from dataclasses import dataclass, field
from pathlib import Path

import mujoco

from mecano.importing import mjcf_text
from mecano.importing.findings import Finding, Findings, UnreadableRobot
from mecano.importing.mjcf_text import Element

MODEL = "model.xml"
ASSETS = "assets"
LEAST_MASS, LEAST_INERTIA = 1e-3, 1e-6
"""Of a moving body that has none, and neither has what is fixed to it [kg, kg m2]."""


@dataclass(frozen=True, kw_only=True)
class Motor:
    """What the file says about the motor of a joint."""

    effort: float | None
    """Most torque or force [N m or N]; None if it does not say."""
    speed: float | None
    """Fastest [rad/s or m/s]; None if it does not say."""


@dataclass(frozen=True, kw_only=True)
class Follower:
    """A joint that follows another one: value = multiplier * other + offset."""

    joint: str
    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True, kw_only=True)
class Grip:
    """Friction that differs with the direction, as Gazebo's files have it."""

    direction: tuple[float, float, float]
    """Of the first friction (fdir1)."""
    body: str
    """In whose frame the direction is."""
    along: float
    """Friction along it (mu1)."""
    across: float
    """Friction across it (mu2)."""


@dataclass(kw_only=True, eq=False)
class Draft:
    """What is known of a robot before its parts are found."""

    name: str
    file: Path
    """That the user named."""
    folder: Path
    """Where model and assets are being written."""
    xml: Element
    """The model: `<mujoco>`."""
    root: str
    """Its root body."""
    motors: dict[str, Motor] = field(default_factory=dict)
    """Joints that shall be driven, in the order of the file."""
    keeps_actuators: bool = False
    """Whether the file brought its own actuators."""
    followers: tuple[Follower, ...] = ()
    states: dict[str, dict[str, float]] = field(default_factory=dict)
    """Named postures of the file: joint values [rad or m]."""
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Named groups of joints of the file."""
    pairs: frozenset[frozenset[str]] = frozenset()
    """Bodies that may touch."""
    grips: dict[str, Grip] = field(default_factory=dict)
    """Friction that differs with the direction, by body."""
    free: bool | None = None
    """Whether the file says that the robot moves freely; None if it does not say."""
    findings: Findings = field(default_factory=Findings)

    @property
    def model_file(self) -> Path:
        """Where the model is written."""
        return self.folder / MODEL

    def compile(self) -> mujoco.MjModel:
        """Write the model and return it compiled.

        Raises:
            UnreadableRobot: MuJoCo does not accept it; its own words are the finding.
        """
        mjcf_text.write(self.xml, self.model_file)
        try:
            return mujoco.MjSpec.from_file(str(self.model_file)).compile()
        except (ValueError, mujoco.FatalError) as error:
            reason = " ".join(str(error).split())
            found = Finding(
                code="model-refused", severity="error", where=self.file.name,
                message=f"the physics engine refuses the model: {reason}",
            )  # fmt: skip
            raise UnreadableRobot([*self.findings, found]) from None
