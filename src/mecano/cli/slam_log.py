"""A log mapped with a progress bar and a page, until it is done or the user stops it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from mecano.cli.progress import progress
from mecano.core.poses import Pose2
from mecano.estimation.slam.mapper_belief import MapperBelief

if TYPE_CHECKING:
    from mecano.core.messages import LaserScan
    from mecano.record.log_mapping import LogMapping
    from mecano.viewer.map_page import MapPage


class Stopping:
    """Notes Ctrl-C and SIGTERM, so that a scan in progress is finished before all is saved."""

    def __init__(self) -> None:
        self.asked = False

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Note the wish to stop within this block instead of raising it; a second one raises."""
        kinds = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(kind, self._note) for kind in kinds]
        try:
            yield
        finally:
            for kind, handler in zip(kinds, before, strict=True):
                signal.signal(kind, handler)

    def _note(self, kind: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def run(mapping: "LogMapping", page: "MapPage | None" = None) -> dict[str, Any]:
    """Map a log and return the result.

    Args:
        mapping: At its begin.
        page: Shows the map while it grows.

    Raises:
        KeyboardInterrupt: The user stopped it; the map so far was written.
    """
    stopping, log = Stopping(), mapping.log
    belief = MapperBelief(mapping.mapper, log.mount)
    with progress("mapping") as tell:

        def go_on(done: int, scan: "LaserScan", pose: Pose2) -> bool:
            tell(done, len(log.scans))
            if page is not None and page.is_due():
                page.show(belief.now(scan.stamp, pose, scan))
            return not stopping.asked

        with stopping.patient():
            if not mapping.add_scans(go_on):
                raise KeyboardInterrupt
        result = mapping.finish()
    if page is not None and log.scans:
        scan, pose = log.scans[-1], Pose2(*mapping.mapper.trajectory[-1, 1:].tolist())
        page.show(belief.now(scan.stamp, pose, scan, done=True))
    return result
