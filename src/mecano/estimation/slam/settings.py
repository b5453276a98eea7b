"""Everything that can be tuned about mapping, with its unit and its reason."""

from dataclasses import dataclass, fields

from mecano.core.arrays import finite_number


@dataclass(frozen=True, kw_only=True)
class SlamSettings:
    """One set for all robots and logs.

    A change of any of them by 30 % moves the error on the Intel log by less than a millimetre; the
    strictness of loops matters on long corridors only.
    """

    # --- scans
    range_limit: float = 30.0
    """Returns further away are left out [m]: beams one degree apart are too sparse there."""
    returns: int = 360
    """Returns that are kept of one scan, evenly taken: more cost time and say the same."""
    surface_reach: float = 0.15
    """Neighbours up to here make the line of a return [m] ..."""
    surface_reach_far: float = 0.06
    """... or up to here per distance: far returns are noisy or few."""
    surface_rough: float = 0.03
    """Returns of one line lie this near to it [m]: noise of a SICK LMS or TiM ..."""
    surface_rough_far: float = 0.005
    """... and this much less near per distance, as depth cameras need it."""
    small_thing: float = 0.4
    """What is no larger counts as one place [m]: legs, posts, corners of furniture."""

    # --- odometry
    slip: float = 0.06
    """Deviation of odometry's way, per way driven."""
    skid: float = 0.10
    """Deviation of odometry's turn, per turn."""
    skid_by_way: float = 0.10
    """Deviation of odometry's turn per way [rad/m]; logs with 4 degrees in half a metre exist."""
    odometry_floor: float = 0.01
    """Least deviation between keyframes of odometry's way [m] and, in radians, of its turn."""
    jump: float = 5.0
    """A longer way from one scan to the next is a jump of odometry, not a way [m]."""

    # --- matching
    cell: float = 0.05
    """Side of a cell in which the nearest known return is looked up [m]."""
    reach: float = 0.3
    """Returns move at most this far in one refinement [m]."""
    search_cell: float = 0.1
    """Step of the search [m]."""
    search_spread: float = 0.1
    """Deviation of returns in the search [m]: about its step, so that no peak is missed."""
    search_returns: int = 90
    """Returns that the search uses, evenly taken; the refinement uses all."""
    noise: float = 0.03
    """Deviation of a return from its line [m]."""
    soft: float = 0.05
    """A return this far from its line counts half [m]."""
    corner: float = 0.2
    """Weight of a return of a small thing against one of a wall."""
    blur: float = 0.03
    """Information along a wall that only noise of its direction makes, per information across."""
    correlation: float = 10.0
    """Returns that err together: so many count as one in the information of a match ..."""
    independent: float = 18.0
    """... and no scan counts more than so many."""

    # --- keyframes and local maps
    key_distance: float = 0.2
    """A scan this far from the last keyframe becomes one [m] ..."""
    key_turn: float = 0.17
    """... or one that turned by this much [rad]."""
    still_distance: float = 0.01
    """Scans that moved less than this since the last match are not matched [m] ..."""
    still_turn: float = 0.005
    """... and turned less than this [rad]."""
    local_keyframes: int = 20
    """Keyframes in the map that a new scan is matched to, at most ..."""
    local_way: float = 10.0
    """... and how much way they cover, at most [m]."""

    # --- loops
    loop_distance: float = 5.0
    """Old keyframes this near to where the robot may be are looked at again [m]."""
    loop_every: float = 1.0
    """Way between two searches for loops [m]."""
    loop_window: float = 30.0
    """Largest search to each side [m]."""
    loop_score: float = 0.4
    """Share of the local map that must fit the old one, 0 to 1."""
    loop_unique: float = 0.93
    """A second place in the window may have this share of the best score."""
    loop_share: float = 0.4
    """Share of returns that must find a partner after refinement."""

    # --- finish
    neighbours: int = 8
    """Keyframes that each keyframe is matched to in the last refinement."""
    neighbour_distance: float = 2.5
    """How far apart these may be [m]."""
    rounds: int = 1
    """Times that the last refinement matches all neighbours and optimizes; a second moves mm."""

    def __post_init__(self) -> None:
        """Check that all are positive numbers."""
        for field in fields(self):
            finite_number(getattr(self, field.name), name=f"SlamSettings.{field.name}", lower=1e-9)
