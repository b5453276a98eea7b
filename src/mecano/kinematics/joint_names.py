"""Joint names as people read them: without what the names of all joints of a chain share."""

from mecano.kinematics.chain import Chain

SUFFIX = "_joint"


def short_joint_names(chain: Chain) -> tuple[str, ...]:
    """Return the names of the joints, without the chain's own name before them and `_joint` behind.

    `right_shoulder_pan_joint` of the chain `right` is `shoulder_pan`. What only some joints have is
    kept, so that no two names become one.
    """
    names = chain.joint_names
    prefix = f"{chain.name}_"
    if all(name.startswith(prefix) and name != prefix for name in names):
        names = [name.removeprefix(prefix) for name in names]
    if all(name.endswith(SUFFIX) and name != SUFFIX for name in names):
        names = [name.removesuffix(SUFFIX) for name in names]
    return tuple(names)
