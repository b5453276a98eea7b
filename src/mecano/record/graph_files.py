"""Pose graphs and their scans as text, plain or gzip.

    NODE index time
    EDGE from to x y theta Ixx Ixy Ixt Iyy Iyt Itt
    SCAN index time n r1 ... rn

An edge from a node to the one after it was measured in driving; every other is a loop.
"""

from pathlib import Path

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.estimation.slam.graph_start import tree_start
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.record.carmen_lines import front_scan
from mecano.record.text_files import read_text

NODE, EDGE, SCAN = b"NODE", b"EDGE", b"SCAN"
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Where the six numbers of an information matrix go."""

LARGEST = 1e12
"""Larger numbers are no stamps, poses or informations: squares of them would overflow."""


def read_graph(path: str | Path) -> PoseGraph:
    """Read a pose graph; its poses are strung along its edges from the first node on.

    Nodes may have any whole numbers as names; they are put in the order of their times.

    Raises:
        InvalidInput: There is no such file, a line makes no sense, an edge names a node that does
            not exist, or an information matrix is not positive definite.
    """
    times: dict[int, float] = {}
    ends: list[tuple[int, int]] = []
    numbers: list[list[float]] = []
    where: list[int] = []
    for line, words in _messages(path, "pose graph"):
        if words[0] == NODE:
            index, (stamp,) = _number(path, line, words, 1), _numbers(path, line, words[2:3], 1)
            if index in times:
                raise InvalidInput(f"line {line} of {path}: there are two nodes {index}")
            times[index] = stamp
        elif words[0] == EDGE:
            ends.append((_number(path, line, words, 1), _number(path, line, words, 2)))
            numbers.append(_numbers(path, line, words[3:12], 9))
            where.append(line)
    if not times:
        raise InvalidInput(f"{path} has no nodes; expected lines such as 'NODE 0 1031745824.658'")
    if len(times) > 1 and not ends:
        raise InvalidInput(
            f"{path} has {len(times)} nodes and no edge, so nothing joins them; was it cut off?"
        )
    names = sorted(times, key=lambda name: (times[name], name))
    place = {name: k for k, name in enumerate(names)}
    for line, pair in zip(where, ends, strict=True):
        for name in pair:
            if name not in place:
                raise InvalidInput(
                    f"line {line} of {path}: an edge goes to node {name}, which does not exist"
                )
    edges = np.array([(place[a], place[b]) for a, b in ends], dtype=np.int64).reshape(-1, 2)
    table = np.array(numbers).reshape(-1, 9)
    information = np.zeros((len(table), 3, 3))
    for k, (i, j) in enumerate(UPPER):
        information[:, i, j] = information[:, j, i] = table[:, 3 + k]
    graph = PoseGraph(
        stamps=np.array([times[name] for name in names]),
        poses=np.zeros((len(names), 3)),
        edges=edges,
        measured=table[:, :3],
        information=information,
        loop=np.abs(edges[:, 1] - edges[:, 0]) != 1,
    )
    return tree_start(graph)


def read_scans(path: str | Path) -> tuple[LaserScan, ...]:
    """Read the scans of a pose graph, in the order of their times.

    They see half a turn, as the lines of a CARMEN log do. Negative ranges and NaN are failed
    beams, ranges of 50 m and more are no returns.

    Raises:
        InvalidInput: There is no such file, no scan in it, or a line makes no sense.
    """
    scans = []
    for line, words in _messages(path, "file of scans"):
        if words[0] != SCAN:
            continue
        count = _number(path, line, words, 3)
        (stamp,) = _numbers(path, line, words[2:3], 1)
        ranges = _numbers(path, line, words[4 : 4 + count], count, finite=False)
        if count < 2:
            raise InvalidInput(
                f"line {line} of {path}: a scan of {count} beams, expected 2 or more"
            )
        scans.append(front_scan(stamp, np.array(ranges)))
    if not scans:
        raise InvalidInput(f"{path} has no scans; expected lines such as 'SCAN 0 0.0 180 1.27 ...'")
    return tuple(sorted(scans, key=lambda scan: scan.stamp))


def _messages(path: str | Path, what: str) -> list[tuple[int, list[bytes]]]:
    text = read_text(path, what=what)
    if text.problem is not None:
        raise InvalidInput(f"the {what} {path} is not whole: {text.problem}; fetch it again")
    split = ((k, line.split()) for k, line in enumerate(text.lines, 1))
    return [(k, words) for k, words in split if words and not words[0].startswith(b"#")]


def _number(path: str | Path, line: int, words: list[bytes], k: int) -> int:
    try:
        return int(words[k])
    except (IndexError, ValueError):
        raise InvalidInput(
            f"line {line} of {path}: word {k + 1} must be a whole number: {_shown(words)}"
        ) from None


def _numbers(
    path: str | Path, line: int, words: list[bytes], count: int, *, finite: bool = True
) -> list[float]:
    try:
        numbers = [float(word) for word in words]
    except ValueError as error:
        raise InvalidInput(f"line {line} of {path}: {error}") from None
    if len(numbers) != count:
        raise InvalidInput(f"line {line} of {path} has {len(numbers)} of {count} numbers")
    if finite and not (np.abs(numbers) <= LARGEST).all():
        raise InvalidInput(
            f"line {line} of {path} has a number that is not finite or too large: {numbers}"
        )
    return numbers


def _shown(words: list[bytes]) -> str:
    return b" ".join(words[:6]).decode(errors="replace")
