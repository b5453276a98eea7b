"""What the tests of the view share: a page without a browser, and waiting for a condition."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
import viser
from viser import _messages
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

PATIENCE = 120.0
"""How long anything may take on a busy machine [s]."""
CAMERA = _messages.ViewerCameraMessage(
    (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 0.8, 0.01, 100.0, 720, 1280, (0.0, 0.0, 0.0),
    (0.0, 0.0, 1.0),
)  # fmt: skip


def eventually(claim: Callable[[], Any], *, seconds: float = PATIENCE) -> Any:
    """Return what a claim answers as soon as it is true; fail if it never is."""
    deadline = time.monotonic() + seconds
    while not (answer := claim()):
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s"
        time.sleep(0.005)
    return answer


class ThinPage:
    """A page without a browser: it speaks the protocol, reads everything and shows nothing."""

    def __init__(self, port: int, *, origin: str | None = None, silent: bool = False) -> None:
        """Connect; a silent page does not say that it is there."""
        self._socket = connect(
            f"ws://127.0.0.1:{port}",
            subprotocols=[f"viser-v{viser.__version__}"],  # type: ignore[list-item]
            origin=origin,  # type: ignore[arg-type]
            max_size=None,
            compression=None,
        )
        self.bytes_read = 0
        self.closed = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not silent:
            self.send(CAMERA)

    def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            for message in self._socket:
                self.bytes_read += len(message)
        self.closed.set()

    def send(self, message: _messages.Message) -> None:
        self.send_bytes(msgspec.msgpack.encode(message.as_serializable_dict([])))

    def send_bytes(self, data: bytes) -> None:
        self._socket.send(data)

    def set(self, handle: Any, value: Any) -> None:
        """Do what a person does with a control: a new value, or a press of a button."""
        self.send(_messages.GuiUpdateMessage(handle._impl.uuid, {"value": value}))

    def drag(self, gizmo: Any, position: tuple[float, float, float]) -> None:
        turn = (1.0, 0.0, 0.0, 0.0)
        self.send(_messages.TransformControlsUpdateMessage(gizmo.name, turn, position))

    def grasp(self, gizmo: Any) -> None:
        self.send(_messages.TransformControlsDragStartMessage(gizmo.name))

    def let_go(self, gizmo: Any) -> None:
        self.send(_messages.TransformControlsDragEndMessage(gizmo.name))

    def close(self) -> None:
        self._socket.close()
        self._reader.join(PATIENCE)

    def vanish(self) -> None:
        """Go as a machine does that loses its power: no goodbye."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(PATIENCE)

    def __enter__(self) -> "ThinPage":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def panel_of(viewer: Any, kind: type) -> Any:
    """Return the panel of this kind."""
    return next(panel for panel in viewer.panels if isinstance(panel, kind))


def drive_until(page, buttons, direction: str, claim) -> None:
    """Click a direction again and again, as one click drives for a moment only."""

    def clicked() -> object:
        page.set(buttons, direction)
        return claim()

    eventually(clicked)
