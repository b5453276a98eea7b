"""The web server of the view: for this machine only unless told otherwise, and its own pages."""

import contextlib
import io
import logging
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import viser
import websockets.asyncio.server as websocket_server

from mecano.core.errors import InvalidInput

HOST = "127.0.0.1"
PORT = 8080
LARGEST_MESSAGE = 1 << 20
"""A page sends a few numbers at a time; more than this is not one of ours [bytes]."""
LOCAL_PAGES = [re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?"), None]
"""Where a page may come from while we listen on loopback; other sites in the same browser may not
reach the robot. None is a program that is no browser."""


def open_server(*, host: str = HOST, port: int | None = None) -> viser.ViserServer:
    """Start the web server; without a port the first free one from 8080 on is taken."""
    chosen = first_free(host, PORT) if port is None else _checked(host, port)
    with _guarded(host), contextlib.redirect_stdout(io.StringIO()):  # it prints even when quiet
        server = viser.ViserServer(host=host, port=chosen, label="Mecano", verbose=False)
    server.request_share_url = _no_sharing
    for talker in ("websockets", "websockets.server"):  # a page that sends rubbish is cut off:
        logging.getLogger(talker).setLevel(logging.CRITICAL)  # no news for who runs a robot
    return server


def close_server(server: viser.ViserServer) -> None:
    """Stop it without a word."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def address(server: viser.ViserServer) -> str:
    """Return what to type into the browser."""
    host = server.get_host()
    shown = "localhost" if host in (HOST, "0.0.0.0", "::") else host
    return f"http://{shown}:{server.get_port()}"


def _no_sharing(verbose: bool = True) -> None:
    """Refuse what the library offers: a tunnel that shows the page to the whole internet."""
    return None


@contextlib.contextmanager
def _guarded(host: str) -> Iterator[None]:
    """While the server starts, have it bound messages and look where pages come from.

    The library passes neither on to `serve`, so `serve` is wrapped for that moment.
    """
    plain = websocket_server.serve
    local = {"origins": LOCAL_PAGES} if host in (HOST, "localhost", "::1") else {}

    def serve(*arguments, **options):
        return plain(*arguments, **(options | local | {"max_size": LARGEST_MESSAGE}))

    websocket_server.serve = serve  # type: ignore[assignment]
    try:
        yield
    finally:
        websocket_server.serve = plain


# --- ports


def first_free(host: str, port: int) -> int:
    """Return the first port from this one on that can be listened on."""
    for candidate in range(port, min(port + 1000, 65536)):
        if _is_free(host, candidate):
            return candidate
    raise InvalidInput(f"no free port from {port} on at {host}; close something or give --port")


def _checked(host: str, port: int) -> int:
    if not 1 <= port <= 65535:
        raise InvalidInput(f"port {port} does not exist, allowed 1 to 65535")
    if not _is_free(host, port):
        by, beyond = owner(port), port + 1 if port < 65535 else PORT
        raise InvalidInput(
            f"port {port} is in use{f' by {by}' if by else ''}; "
            f"the next free one is {first_free(host, beyond)}: --port takes it, "
            "or leave --port out"
        )
    return port


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except socket.gaierror:
            raise InvalidInput(f"'{host}' is no address of this machine") from None
        except PermissionError:
            raise InvalidInput(
                f"port {port} needs the rights of root; take one above 1023"
            ) from None
        except OSError as error:
            if error.errno == 99:  # EADDRNOTAVAIL
                raise InvalidInput(f"'{host}' is no address of this machine") from None
            return False
    return True


def owner(port: int) -> str | None:
    """Return which program listens on a port, as 'name (pid 123)', where that can be found out."""
    try:
        sockets = {
            words[9]
            for table in ("tcp", "tcp6")
            for words in map(str.split, Path("/proc/net", table).read_text().splitlines()[1:])
            if words[3] == "0A" and int(words[1].rpartition(":")[2], 16) == port  # 0A: listening
        }
        links = {f"socket:[{inode}]" for inode in sockets}
    except OSError:  # not Linux
        return None
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended, or belongs to somebody else
            if any(str(each.readlink()) in links for each in (process / "fd").iterdir()):
                name = (process / "comm").read_text().strip()
                return f"{name} (pid {process.name})"
    return None
