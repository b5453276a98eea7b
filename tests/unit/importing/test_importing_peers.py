"""Imported public robots against pinocchio: every frame, random postures."""

import importlib.util
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
FILES = (
    "ur_description/urdf/ur3_robot.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "kinova_description/robots/kinova.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
)


@pytest.mark.slow
@pytest.mark.bench_peer
@pytest.mark.parametrize("file", FILES)
def test_every_frame_is_where_pinocchio_has_it(tmp_path, file):
    pytest.importorskip("pinocchio")
    if not (ROBOTS / file).is_file():
        pytest.skip("example-robot-data is not installed")
    from mecano.importing import import_robot

    spec = importlib.util.spec_from_file_location("table", ROOT / "tools" / "import_table.py")
    assert spec is not None and spec.loader is not None
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    imported = import_robot(ROBOTS / file, tmp_path / "robot")
    difference = table.compare(ROBOTS / file, tmp_path / "robot")
    assert difference is not None and difference < 1e-9
    found = table.again(imported.description, 100)
    assert all(hits == count for hits, count in found.values())
