"""`mecano scene`: the tree tells what is there and what takes part in what."""

import json

import pytest


def test_the_tree_of_the_transport_scene(mecano):
    answer = mecano("scene", "transport")
    assert answer.code == 0
    for text in ("cube", "table_1", "path route_1", "0.05 kg"):
        assert text in answer.out


def test_flags_are_those_of_the_shapes(mecano):
    tree = json.loads(mecano("scene", "transport", "--json").out)["tree"]
    shapes = {s["name"]: s for b in [tree, *tree["bodies"]] for s in b["shapes"]}
    assert shapes["cube"]["dynamic"] and not shapes["table_1"]["dynamic"]
    assert all(shapes[name]["collidable"] for name in ("cube", "table_1", "floor"))
    assert shapes["cube"]["renderable"] and shapes["cube"]["detectable"]


def test_a_robot_is_part_of_the_tree(mecano):
    tree = json.loads(mecano("scene", "empty", "--robot", "youbot", "--json").out)["tree"]
    assert tree["bodies"][0]["name"] == "youbot/base_footprint"


@pytest.mark.parametrize("name", ["trnsport", "no/such.xml"])
def test_a_scene_that_is_not_there_is_one_line(mecano, name):
    answer = mecano("scene", name)
    assert answer.code == 2 and "Traceback" not in answer.err


def test_a_heightfield_has_its_name_and_its_box(mecano, tmp_path):
    (tmp_path / "hills.xml").write_text(
        '<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="2 1 0.3 0.1" elevation="0 1 1 0"/>'
        '</asset><worldbody><geom name="h" type="hfield" hfield="h"/></worldbody></mujoco>'
    )
    tree = json.loads(mecano("scene", tmp_path / "hills.xml", "--json").out)["tree"]
    assert (tree["shapes"][0]["kind"], tree["shapes"][0]["size_m"]) == ("heightfield", [4, 2, 0.4])
