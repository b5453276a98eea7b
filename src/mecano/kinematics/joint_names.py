"""Joint names as people read them: without what the names of all joints of a chain share."""

from mecano.kinematics.chain import Chain

SUFFIX = "_joint"
ONLY_ARM = "arm"
"""What the chain of a robot with one arm is called."""


def short_joint_names(chain: Chain) -> tuple[str, ...]:
    """Return the names of the joints, without the chain's own name before them and `_joint` behind.

    `right_shoulder_pan_joint` of the chain `right` is `shoulder_pan`. A robot's only arm keeps its
    names: they are those of its papers and topics.
    """
    names, prefix = chain.joint_names, f"{chain.name}_"
    shared = all(name.startswith(prefix) and name != prefix for name in names)
    if chain.name == ONLY_ARM or not shared:
        return tuple(names)
    names = [name.removeprefix(prefix) for name in names]
    if all(name.endswith(SUFFIX) and name != SUFFIX for name in names):
        names = [name.removesuffix(SUFFIX) for name in names]
    return tuple(names)
