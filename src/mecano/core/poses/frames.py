"""Frames that hang on each other, on the world or on a body, and can change what they hang on.

A target that lies on a table, then rides on a robot's tray, then stands on another table is one
frame with three parents. Changing the parent keeps its place in the world unless told otherwise.
"""

from collections.abc import Callable

from mecano.core.errors import InvalidInput
from mecano.core.poses.spatial import Pose


class FrameCycle(InvalidInput):
    """A frame was to hang on itself, by way of others or directly."""

    def __init__(self, frame: "Frame", parent: "Frame") -> None:
        self.frame, self.parent = frame, parent
        way = [parent.name]
        while parent is not frame and parent.parent is not None:
            parent = parent.parent
            way.append(parent.name)
        hangs = f": {' hangs on '.join(way)}" if len(way) > 1 else ""
        super().__init__(
            f"frame '{frame.name}' cannot be attached to '{way[0]}'{hangs or ', itself'}; "
            "attach it elsewhere first"
        )


class Frame:
    """A named place: fixed to a parent, or read from a body that moves by itself."""

    def __init__(
        self,
        name: str,
        pose: Pose | None = None,
        *,
        parent: "Frame | None" = None,
        source: Callable[[], Pose] | None = None,
    ) -> None:
        """Make a frame.

        Args:
            name: How messages call it.
            pose: Seen from the parent; the parent's own place by default.
            parent: What it hangs on; None is the world.
            source: Gives the pose in the world whenever it is asked for, for a frame that follows
                a body: `lambda: world.body_pose("tray")`. Such a frame has no pose and no parent
                of its own.
        """
        if source is not None and (pose is not None or parent is not None):
            raise InvalidInput(
                f"frame '{name}' takes its pose from a source; leave pose and parent out"
            )
        self.name = name
        self._pose, self._parent, self._source = pose or Pose(), parent, source

    @property
    def parent(self) -> "Frame | None":
        """What it hangs on; None is the world."""
        return self._parent

    @property
    def pose(self) -> Pose:
        """Where it is, seen from its parent."""
        return self._pose if self._source is None else self._source()

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self._check_free("moved")
        self._pose = pose

    def pose_in(self, other: "Frame | None" = None) -> Pose:
        """Return where it is, seen from another frame; None is the world."""
        T_world_self = self.pose
        above = self._parent
        while above is not None and above is not other:
            T_world_self = above.pose @ T_world_self
            above = above._parent
        if above is other:  # found on the way up: exact, and no need to ask further
            return T_world_self
        assert other is not None
        return other.pose_in().inverse() @ T_world_self

    def place_at(self, pose: Pose, *, seen_from: "Frame | None" = None) -> None:
        """Move it to a pose that is seen from another frame; None is the world."""
        self._check_free("moved")
        T_world_self = pose if seen_from is None else seen_from.pose_in() @ pose
        self._pose = self._below(self._parent, T_world_self)

    def attach_to(self, parent: "Frame | None", *, keep_world: bool = True) -> None:
        """Hang it on another frame; None is the world.

        Args:
            parent: The frame that carries it from now on. One that hangs on it raises `FrameCycle`.
            keep_world: It stays where it is in the world; else it keeps its pose as a number,
                which is then seen from the new parent.
        """
        self._check_free("attached")
        above = parent
        while above is not None:
            if above is self:
                assert parent is not None
                raise FrameCycle(self, parent)
            above = above._parent
        if keep_world:
            self._pose = self._below(parent, self.pose_in())
        self._parent = parent

    @staticmethod
    def _below(parent: "Frame | None", T_world_self: Pose) -> Pose:
        return T_world_self if parent is None else parent.pose_in().inverse() @ T_world_self

    def _check_free(self, what: str) -> None:
        if self._source is not None:
            raise InvalidInput(
                f"frame '{self.name}' follows a body and cannot be {what}; hang another on it"
            )

    def __repr__(self) -> str:
        hangs = "" if self._parent is None else f", on '{self._parent.name}'"
        return f"Frame('{self.name}'{hangs})"
