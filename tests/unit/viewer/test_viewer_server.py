"""The web server: whom it listens to, whom it refuses, and what nobody can break from outside."""

import os
import socket
import sys
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest
import websockets.asyncio.server
from viewer_helpers import ThinPage, eventually, panel_of
from viser import _messages
from websockets.exceptions import InvalidStatus

from mecano.core.errors import InvalidInput
from mecano.viewer.panels.arm import ArmPanel
from mecano.viewer.server import (
    LARGEST_MESSAGE,
    address,
    close_server,
    first_free,
    open_server,
    owner,
)

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.fixture
def serve():
    """Open servers that are closed after the test."""
    servers = []

    def open_one(**options):
        servers.append(open_server(**options))
        return servers[-1]

    yield open_one
    for server in servers:
        close_server(server)


@pytest.fixture
def taken():
    """A port that something else, here the test, listens on."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


# --- ports


def test_a_port_in_use_is_refused_naming_the_next_free_one(taken):
    with pytest.raises(InvalidInput, match=f"^port {taken} is in use") as refusal:
        open_server(port=taken)
    free = int(str(refusal.value).split("the next free one is ")[1].split(":")[0])
    assert free > taken
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", free))


@linux
def test_a_port_in_use_is_refused_naming_the_process(taken):
    comm = Path(f"/proc/{os.getpid()}/comm").read_text().strip()
    assert owner(taken) == f"{comm} (pid {os.getpid()})"
    with pytest.raises(InvalidInput) as refusal:
        open_server(port=taken)
    assert f"in use by {comm} (pid {os.getpid()})" in str(refusal.value)


@linux
def test_a_free_port_has_no_owner():
    with closing(socket.socket()) as bound:
        bound.bind(("127.0.0.1", 0))  # bound, but nobody listens
        assert owner(bound.getsockname()[1]) is None


def test_without_a_port_the_next_free_one_is_taken(serve, taken, monkeypatch):
    monkeypatch.setattr("mecano.viewer.server.PORT", taken)
    assert serve().get_port() > taken


def test_a_port_asked_for_is_the_port(serve, taken):
    free = first_free("127.0.0.1", taken)
    assert serve(port=free).get_port() == free


def test_two_servers_get_along(serve):
    assert serve().get_port() != serve().get_port()


@pytest.mark.parametrize("port", [0, -1, 65536, 10**9])
def test_a_port_that_does_not_exist_is_refused(port):
    with pytest.raises(InvalidInput, match=r"allowed 1 to 65535"):
        open_server(port=port)


def test_the_last_port_in_use_is_refused_with_its_number(monkeypatch):
    monkeypatch.setattr("mecano.viewer.server._is_free", lambda host, port: port < 65535)
    with pytest.raises(InvalidInput, match=r"^port 65535 is in use"):
        open_server(port=65535)


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
def test_an_address_of_another_machine_is_refused(host):
    with pytest.raises(InvalidInput, match=f"^'{host}' is no address of this machine$"):
        open_server(host=host)


def test_a_closed_server_frees_its_port(serve):
    server = open_server()
    port = server.get_port()
    close_server(server)
    assert serve(port=port).get_port() == port


# --- who may come in


def listening(port: int) -> set[str]:
    """Return the addresses that are listened on at a port, from the kernel, as it writes them."""
    rows = [
        row.split()
        for table in ("tcp", "tcp6")
        for row in Path("/proc/net", table).read_text().splitlines()[1:]
    ]
    places = [row[1].split(":") for row in rows if row[3] == "0A"]
    return {host for host, at in places if int(at, 16) == port}


@linux
def test_it_listens_on_loopback_only(serve):
    assert listening(serve().get_port()) == {"0100007F"}  # 127.0.0.1 backwards


@linux
def test_it_listens_to_all_machines_only_if_asked(serve):
    assert listening(serve(host="0.0.0.0").get_port()) == {"00000000"}


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "localhost"), ("localhost", "localhost"), ("0.0.0.0", "localhost")],
)
def test_the_address_is_what_a_browser_understands(serve, host, shown):
    server = serve(host=host)
    assert address(server) == f"http://{shown}:{server.get_port()}"
    with urlopen(address(server)) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://localhost.evil.example", "http://localhost:1@evil.example",
     "http://evil.example:8080", "null", "file://", ""],
)  # fmt: skip
def test_pages_of_other_sites_are_refused(serve, origin):
    with pytest.raises(InvalidStatus) as refusal:
        ThinPage(serve().get_port(), origin=origin)
    assert refusal.value.response.status_code == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_our_own_pages_are_welcome(serve, host):
    server = serve()
    with ThinPage(server.get_port(), origin=f"http://{host}:{server.get_port()}"):
        eventually(server.get_clients)


def test_a_program_that_is_no_browser_is_welcome(serve):
    server = serve()
    with ThinPage(server.get_port()):
        eventually(server.get_clients)


def test_starting_leaves_the_library_as_it_was(serve):
    before = websockets.asyncio.server.serve
    serve()
    assert websockets.asyncio.server.serve is before


def test_starting_says_nothing(serve, capfd):
    close_server(serve())
    said = capfd.readouterr()
    assert said.out == said.err == ""


def test_nobody_can_share_the_page_with_the_internet(living):
    _, viewer, page = living
    assert viewer.server.request_share_url() is None
    page.send(_messages.ShareUrlRequest())
    move_slider(viewer, page, 0.25)  # what came before it was taken too
    assert viewer.server._share_tunnel is None


# --- what pages may send


def move_slider(viewer, page, value: float) -> None:
    """Prove that a page and the view still talk: move the first joint by it."""
    panel = panel_of(viewer, ArmPanel)
    page.set(panel.sliders[0], value)
    eventually(lambda: abs(panel.arm.position[0] - value) < 0.01)


def test_a_message_that_is_too_large_closes_only_its_page(living, open_page):
    _, viewer, page = living
    rude = open_page(viewer)
    rude.send_bytes(bytes(LARGEST_MESSAGE + 1))
    assert rude.closed.wait(30.0)
    eventually(lambda: len(viewer.server.get_clients()) == 1)
    move_slider(viewer, page, 0.3)
    assert not page.closed.is_set()


GARBAGE = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "not a message": b"\x93\x01\x02\x03",
    "unknown type": b"\x81\xa4type\xa9NoSuchOne",
    "no type": b"\x81\xa1a\x01",
    "missing fields": b"\x81\xa4type\xb0GuiUpdateMessage",
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_garbage_disturbs_nobody_else(living, open_page, data):
    robot, viewer, page = living
    rude = open_page(viewer)
    rude.send_bytes(data)
    ticks = robot.session.ticks
    move_slider(viewer, page, 0.3)
    assert robot.session.ticks > ticks and robot.session.failure is None
    assert not page.closed.is_set()


@pytest.mark.parametrize(
    "value", [1e9, -1e9, float("nan"), float("inf"), "far", None, [1, 2, 3], {}], ids=str
)
def test_a_slider_with_a_senseless_value_moves_nothing(living, value):
    robot, viewer, page = living
    before = robot.arm.commanded.copy()
    page.set(panel_of(viewer, ArmPanel).sliders[1], value)
    page.set(panel_of(viewer, ArmPanel).sliders[1], float(before[1]))
    move_slider(viewer, page, 0.2)
    assert abs(robot.arm.position[1] - before[1]) < 0.01
    assert robot.session.failure is None


def test_a_control_that_does_not_exist_disturbs_nothing(living):
    _, viewer, page = living
    page.send(_messages.GuiUpdateMessage("no such control", {"value": 1.0}))
    move_slider(viewer, page, 0.2)


def test_a_page_that_vanishes_is_forgotten(living, open_page):
    robot, viewer, page = living
    gone = open_page(viewer)
    gone.vanish()
    eventually(lambda: len(viewer.server.get_clients()) == 1)
    ticks = robot.session.ticks
    eventually(lambda: robot.session.ticks > ticks)
    move_slider(viewer, page, 0.3)


def test_a_page_that_reads_nothing_holds_nobody_up(living):
    robot, viewer, page = living
    with closing(socket.create_connection(("127.0.0.1", viewer.server.get_port()))) as deaf:
        deaf.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")  # and never ends its request
        move_slider(viewer, page, 0.3)
    assert robot.session.failure is None
