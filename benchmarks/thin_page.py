"""A page without a browser: it speaks the viewer's protocol, reads everything and shows nothing.

Run as a program, in a process of its own: python thin_page.py PORT
"""

import sys

import msgspec
import viser
from viser import _messages
from websockets.sync.client import connect
from websockets.typing import Subprotocol

CAMERA = _messages.ViewerCameraMessage(
    (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 0.8, 0.01, 100.0, 720, 1280, (0.0, 0.0, 0.0),
    (0.0, 0.0, 1.0),
)  # fmt: skip


def main(port: str) -> None:
    """Connect, and read until the server goes away."""
    protocol = Subprotocol(f"viser-v{viser.__version__}")
    with connect(f"ws://127.0.0.1:{port}", subprotocols=[protocol], max_size=None) as socket:
        socket.send(msgspec.msgpack.encode(CAMERA.as_serializable_dict([])))
        for _ in socket:
            pass


if __name__ == "__main__":
    main(sys.argv[1])
