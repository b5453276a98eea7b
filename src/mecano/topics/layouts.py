"""Messages whose size never changes, written and read without building them.

A message of fixed names and counts is encoded once by the codec. After that only its stamp and
its numbers are exchanged in the bytes, for many messages at once as one array: that takes 1 us per
message and not 15. A law holds this to the codec: the bytes are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import CupStates, Imu, JointState, PoseStamped, TransformStamped
from mecano.core.poses import Pose
from mecano.topics.codec import Numbers, encode
from mecano.topics.codec_cups import ARRAYS as CUP_ARRAYS
from mecano.topics.fields import NANOSECONDS

AFTER_ENCAPSULATION = 4
"""CDR begins with four bytes that say how it is written; a header's stamp comes next."""
WXYZ_TO_XYZW = [1, 2, 3, 0]


@dataclass(frozen=True)
class Layout:
    """The bytes of a message, and where its stamps and its numbers stand in them."""

    pattern: bytes
    stamps: tuple[int, ...]
    """Where stamps begin [bytes]."""
    blocks: tuple[tuple[int, int], ...]
    """Where runs of float64 begin [bytes], and how many numbers they have."""

    def pack(self, stamps: Array, *blocks: Array) -> list[bytes]:
        """Return n messages.

        Args:
            stamps: One per message [s]. Shape (n,).
            blocks: Numbers of each block. Shapes (n, count).
        """
        rows = np.tile(np.frombuffer(self.pattern, np.uint8), (len(stamps), 1))
        total = np.rint(np.asarray(stamps) * NANOSECONDS).astype(np.int64)
        for place in self.stamps:
            rows[:, place : place + 4] = _bytes(total // NANOSECONDS, "<i4")
            rows[:, place + 4 : place + 8] = _bytes(total % NANOSECONDS, "<u4")
        for (place, count), values in zip(self.blocks, blocks, strict=True):
            if values.shape != (len(rows), count):
                raise InvalidInput(f"numbers of shape {values.shape}, not ({len(rows)}, {count})")
            rows[:, place : place + 8 * count] = _bytes(values, "<f8")
        return [row.tobytes() for row in rows]

    def unpack(self, messages: Sequence[bytes]) -> tuple[Array, list[Array]]:
        """Return stamps (n,) [s] and, per block, numbers (n, count) of n messages.

        Raises:
            InvalidInput: A message has another size.
        """
        size = len(self.pattern)
        odd = next((len(message) for message in messages if len(message) != size), None)
        if odd is not None:
            raise InvalidInput(f"a message in the log has {odd} bytes, expected {size}")
        rows = np.frombuffer(b"".join(messages), np.uint8).reshape(len(messages), size)
        return self._times(rows), [_numbers(rows, *block) for block in self.blocks]

    def _times(self, rows: np.ndarray) -> Array:
        if not self.stamps:
            return np.zeros(len(rows))
        place = self.stamps[0]
        sec = np.ascontiguousarray(rows[:, place : place + 4]).view("<i4").ravel()
        nanosec = np.ascontiguousarray(rows[:, place + 4 : place + 8]).view("<u4").ravel()
        return (sec.astype(np.int64) * NANOSECONDS + nanosec) / NANOSECONDS


def _bytes(values: np.ndarray, kind: str) -> np.ndarray:
    """Return the bytes of numbers, one row per message. Shape (n, bytes)."""
    return np.ascontiguousarray(values, kind).view(np.uint8).reshape(len(values), -1)


def _numbers(rows: np.ndarray, place: int, count: int) -> Array:
    part = np.ascontiguousarray(rows[:, place : place + 8 * count])
    return part.view("<f8").reshape(len(rows), count)


def joint_state_layout(names: Sequence[str], *, effort: bool = True) -> Layout:
    """Return the layout of the joints' positions, velocities and, if wanted, efforts."""
    count = len(names)
    values = np.zeros(count)
    _, data = encode(
        JointState(
            name=tuple(names), position=values, velocity=values, effort=values[: count * effort]
        )
    )
    end = len(data) - (0 if effort else 4)  # an empty array is its length only
    return Layout(data, (AFTER_ENCAPSULATION,), _arrays_before(end, count, 2 + effort))


def _arrays_before(end: int, count: int, arrays: int) -> tuple[tuple[int, int], ...]:
    """Return where arrays of float64 lie that come one after the other up to a place [bytes]."""
    width = 8 * count
    places = [end - width - k * (width + 8) for k in range(arrays)]  # a length and padding between
    return tuple((place, count) for place in places[::-1])


def cups_layout(names: Sequence[str]) -> Layout:
    """Return the layout of the cups' states and loads, in the order of `CUP_ARRAYS`."""
    zeros = dict.fromkeys(CUP_ARRAYS, np.zeros(len(names)))
    _, data = encode(CupStates(name=tuple(names), **zeros))
    arrays = _arrays_before(len(data), len(names), len(CUP_ARRAYS))
    return Layout(data, (AFTER_ENCAPSULATION,), arrays)


def imu_layout(frame: str) -> Layout:
    """Return the layout of turn rates and accelerations, without an orientation."""
    zero = np.zeros(3)
    _, data = encode(Imu(frame=frame, angular_velocity=zero, linear_acceleration=zero))
    end = len(data)  # each is three numbers, with nine of its covariance behind it
    return Layout(data, (AFTER_ENCAPSULATION,), ((end - 192, 3), (end - 96, 3)))


def pose_layout(frame: str) -> Layout:
    """Return the layout of a stamped pose: position, then quaternion in the order of ROS."""
    _, data = encode(PoseStamped(frame=frame, pose=Pose()))
    return Layout(data, (AFTER_ENCAPSULATION,), ((len(data) - 56, 3), (len(data) - 32, 4)))


def numbers_layout(count: int) -> Layout:
    """Return the layout of plain numbers, which have no stamp."""
    _, data = encode(Numbers(np.zeros(count)))
    return Layout(data, (), ((len(data) - 8 * count, count),))


def transforms_layout(frame: str, children: Sequence[str]) -> Layout:
    """Return the layout of several transforms: per child position and quaternion in a row."""
    whole = [TransformStamped(frame=frame, child_frame=name, transform=Pose()) for name in children]
    ends = [len(encode(whole[: k + 1])[1]) for k in range(len(whole))]
    begins = [AFTER_ENCAPSULATION + 4, *ends[:-1]]  # behind the count of transforms
    return Layout(encode(whole)[1], tuple(begins), tuple((end - 56, 7) for end in ends))


def pack_poses(layout: Layout, stamps: Array, positions: Array, quaternions: Array) -> list[bytes]:
    """Return n stamped poses from positions (n, 3) and quaternions `wxyz` (n, 4)."""
    return layout.pack(stamps, positions, quaternions[:, WXYZ_TO_XYZW])


def pack_transforms(
    layout: Layout, stamps: Array, positions: Array, quaternions: Array
) -> list[bytes]:
    """Return n messages from positions (n, children, 3) and quaternions `wxyz` (..., 4)."""
    rows = np.concatenate([positions, quaternions[..., WXYZ_TO_XYZW]], axis=-1)
    return layout.pack(stamps, *(rows[:, k] for k in range(rows.shape[1])))
