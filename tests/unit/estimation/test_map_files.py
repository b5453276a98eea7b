"""Maps in the format of ROS's map_server."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import FREE, OCCUPIED, UNKNOWN
from mecano.core.poses import Pose2
from mecano.estimation.maps.files import load_map, save_map


def some_map():
    data = np.random.default_rng(0).choice([UNKNOWN, FREE, OCCUPIED], (7, 11)).astype(np.int8)
    return OccupancyGrid(resolution=0.05, origin=Pose2(-1.25, 3.5, 0.3), data=data)


@pytest.fixture
def about(tmp_path):
    """Write a picture of three pixels and what the YAML file says of it."""

    def write(text="", *, pixels=(0, 205, 254), **changes):
        Image.fromarray(np.array([pixels], dtype=np.uint8)).save(tmp_path / "m.png")
        said = {"image": "m.png", "resolution": "0.1", "origin": "[0, 0, 0]", "negate": "0",
                "occupied_thresh": "0.65", "free_thresh": "0.196"} | changes  # fmt: skip
        path = tmp_path / "m.yaml"
        path.write_text(text or "".join(f"{k}: {v}\n" for k, v in said.items() if v is not None))
        return path

    return write


@pytest.mark.parametrize("picture", ["pgm", "png"])
def test_a_map_is_read_as_it_was_written(tmp_path, picture):
    grid = some_map()
    path = save_map(grid, tmp_path / "lab.yaml", picture=picture)
    read = load_map(path)
    np.testing.assert_array_equal(read.data, grid.data)
    assert read.resolution == grid.resolution and read.origin == grid.origin
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"lab.{picture}", "lab.yaml"]


def test_the_files_are_what_map_server_expects(tmp_path):
    data = np.array([[OCCUPIED, FREE], [UNKNOWN, FREE]], dtype=np.int8)
    path = save_map(OccupancyGrid(resolution=0.05, data=data), tmp_path / "a")
    assert path == tmp_path / "a.yaml"
    assert (tmp_path / "a.pgm").read_bytes() == b"P5\n2 2\n255\n" + bytes([205, 254, 0, 254])
    assert path.read_text().splitlines() == [
        "image: a.pgm", "mode: trinary", "resolution: 0.05", "origin: [0, 0, 0]", "negate: 0",
        "occupied_thresh: 0.65", "free_thresh: 0.196",
    ]  # fmt: skip


def test_a_map_replaces_the_one_that_was_there(tmp_path):
    save_map(some_map(), tmp_path / "a.yaml")
    other = OccupancyGrid(resolution=0.1, data=np.zeros((2, 2), dtype=np.int8))
    save_map(other, tmp_path / "a.yaml")
    assert load_map(tmp_path / "a.yaml").data.shape == (2, 2)


def test_a_map_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    grid = some_map()
    save_map(grid, tmp_path / "a.yaml")

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    other = OccupancyGrid(resolution=0.1, data=np.zeros((2, 2), dtype=np.int8))
    with pytest.raises(InvalidInput, match="No space left"):
        save_map(other, tmp_path / "a.yaml")
    np.testing.assert_array_equal(load_map(tmp_path / "a.yaml").data, grid.data)


def test_a_packed_picture_is_found(tmp_path):
    grid = some_map()
    path = save_map(grid, tmp_path / "a.yaml")
    picture = tmp_path / "a.pgm"
    (tmp_path / "a.pgm.gz").write_bytes(gzip.compress(picture.read_bytes()))
    picture.unlink()
    np.testing.assert_array_equal(load_map(path).data, grid.data)


@pytest.mark.parametrize(
    ("changes", "values"),
    [
        ({}, [OCCUPIED, UNKNOWN, FREE]),
        ({"negate": "1"}, [FREE, OCCUPIED, OCCUPIED]),
        ({"free_thresh": "0.25"}, [OCCUPIED, FREE, FREE]),
        ({"mode": "trinary", "occupied_thresh": None, "free_thresh": None}, [100, -1, 0]),
        ({"mode": "scale", "free_thresh": "0.1"}, [100, 17, 0]),
        ({"mode": "raw"}, [0, UNKNOWN, UNKNOWN]),
    ],
)
def test_pixels_mean_what_the_file_says(about, changes, values):
    assert load_map(about(**changes)).data.tolist() == [values]


def test_rows_begin_at_the_lower_edge(tmp_path, about):
    path = about()
    Image.fromarray(np.array([[0], [254]], dtype=np.uint8)).save(tmp_path / "m.png")
    assert load_map(path).data.tolist() == [[FREE], [OCCUPIED]]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"image": "other.pgm"}, r"no picture: there is no .*other\.pgm"),
        ({"image": None}, "does not say its image"),
        ({"resolution": None}, "does not say its resolution"),
        ({"resolution": "0"}, "resolution in .* is 0"),
        ({"resolution": "-0.05"}, "resolution in .* is -0.05"),
        ({"resolution": ".nan"}, "resolution in .* is nan"),
        ({"resolution": "fine"}, "resolution in .* is 'fine'"),
        ({"origin": "[0, 0]"}, r"origin in .* is \[0, 0\], expected \[x, y, yaw\]"),
        ({"origin": "[0, 0, .inf]"}, "origin in .* is inf"),
        ({"mode": "colour"}, "mode in .* is 'colour', allowed trinary, scale, raw"),
        ({"negate": "7"}, "negate in .* is 7"),
        ({"occupied_thresh": "0.1"}, "occupied_thresh in .* is 0.1"),
    ],
)
def test_what_makes_no_sense_is_refused(about, changes, says):
    with pytest.raises(InvalidInput, match=says):
        load_map(about(**changes))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("image: [a\nb: {", "broken YAML"),
        ("just words", "does not describe a map"),
        ("[]", "does not describe a map"),
    ],
)
def test_broken_yaml_is_refused(about, text, says):
    with pytest.raises(InvalidInput, match=says):
        load_map(about(text))


def test_a_broken_picture_is_refused(tmp_path, about):
    path = about()
    (tmp_path / "m.png").write_bytes(b"P5\n3 3\n255\nxx")
    with pytest.raises(InvalidInput, match=r"m\.png of the map cannot be read"):
        load_map(path)


def test_a_huge_picture_is_refused_before_it_is_read(tmp_path, about):
    path = about()
    (tmp_path / "m.png").write_bytes(b"P5\n11000 11000\n255\n")
    with pytest.raises(InvalidInput, match="11000 by 11000 pixels"):
        load_map(path)


def test_missing_files_and_pictures_given_as_maps_are_refused(tmp_path):
    save_map(some_map(), tmp_path / "a.yaml")
    with pytest.raises(InvalidInput, match="there is no map"):
        load_map(tmp_path / "b.yaml")
    with pytest.raises(InvalidInput, match="is a folder"):
        load_map(tmp_path)
    with pytest.raises(InvalidInput, match="not its picture"):
        load_map(tmp_path / "a.pgm")
    with pytest.raises(InvalidInput, match="cannot be written"):
        save_map(some_map(), tmp_path / "a.pgm" / "a.yaml")
    assert save_map(some_map(), tmp_path / "new" / "a.yaml").is_file()


def test_the_map_of_a_real_building_is_read(real_logs):
    grid = load_map(real_logs / "intel.map.yaml")
    assert grid.data.shape == (745, 782) and grid.origin == Pose2(-20.1018, -24.3657, 0.0)
    assert int(np.sum(grid.data == OCCUPIED)) == 13600
