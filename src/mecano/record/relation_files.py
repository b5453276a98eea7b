"""Verified relative poses as the Freiburg SLAM benchmark lists them, plain or gzip.

    t1 t2 x y z roll pitch yaw

The pose at t2 seen from that at t1 [s, m, rad]; of z, roll and pitch nothing is used.
"""

from pathlib import Path

from mecano.core.errors import InvalidInput
from mecano.estimation.relations import Relations
from mecano.record.text_files import read_table

LINE = "t1 t2 x y z roll pitch yaw"


def read_relations(path: str | Path) -> Relations:
    """Read relations.

    Raises:
        InvalidInput: There is no such file, nothing in it, or a line makes no sense.
    """
    table = read_table(path, what="list of relations", columns=8, meaning=LINE)
    if not len(table):
        raise InvalidInput(f"the list of relations {path} is empty")
    return Relations(before=table[:, 0], after=table[:, 1], motions=table[:, [2, 3, 7]])
