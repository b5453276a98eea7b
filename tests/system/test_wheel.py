"""The built package works outside the checkout, and where nothing can be written."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """Build the wheel and unpack it somewhere else, as pip would."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(ROOT)], check=True, timeout=300)
    (wheel,) = folder.glob("mecano-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, code: str, **environment: str) -> str:
    """Run code in a fresh process that finds only the unpacked wheel."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=installed.parent,
        env=os.environ | {"PYTHONPATH": str(installed)} | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_is_what_is_imported(installed):
    out = run(installed, "import mecano, mecano.kinematics.turret as t; print(t.__file__)")
    assert Path(out.strip()).is_relative_to(installed)


def test_the_wheel_carries_the_robots_and_their_papers(installed):
    out = run(
        installed,
        "from mecano import robots\n"
        "for name in robots.ROBOTS + robots.PARTS:\n"
        "    print((robots.get(name).folder / 'README.md').is_file())",
    )
    assert set(out.split()) == {"True"}


def test_the_command_of_the_wheel_solves_a_pose(installed):
    arguments = ["ik", "open_manipulator_x", "0.1", "0.1", "0.2", "--pitch", "0", "--json"]
    out = run(installed, f"from mecano.cli.app import main; main({arguments!r})")
    assert '"reached": true' in out


def test_compiled_kernels_work_where_no_folder_can_be_written(installed):
    # A file in the place of the cache folder and a home that is none stop even the superuser.
    blocked = installed / "mecano" / "kinematics" / "__pycache__"
    assert not blocked.exists() or not any(blocked.glob("*.nbi"))
    for file in blocked.glob("*") if blocked.exists() else ():
        file.unlink()
    if blocked.exists():
        blocked.rmdir()
    blocked.write_text("not a folder")
    try:
        out = run(
            installed,
            "from mecano import robots\n"
            "arm = robots.get('open_manipulator_x').chain().turret\n"
            "print(arm.solve_batch([[0.1, 0.1, 0.2]], 0.0)[1].tolist())",
            HOME="/dev/null",
            XDG_CACHE_HOME="/dev/null/cache",
            PYTHONDONTWRITEBYTECODE="1",
        )
    finally:
        blocked.unlink()
    assert out.strip() == "[1]"
