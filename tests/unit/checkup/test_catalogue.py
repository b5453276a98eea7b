"""Every robot of the catalogue passes the suite that `mecano check-robot` runs for any robot."""

import mujoco
import pytest

from mecano import robots
from mecano.checkup import check_robot

POSTURES = {
    name: list(dict.fromkeys(p for c in robots.get(name).chains.values() for p in c.postures))
    or ["home"]
    for name in robots.ROBOTS
}
MODELS = sorted(
    {
        robot.folder / robot.model
        for robot in map(robots.get, robots.ROBOTS + robots.PARTS)
        if robot.model is not None
    }
    | {robots.get("widowx").folder / "model.xml"}
)
every_model = pytest.mark.parametrize("file", MODELS, ids=lambda f: f"{f.parent.name}/{f.stem}")


@pytest.mark.parametrize(
    ("name", "posture"),
    [(n, p) for n, postures in POSTURES.items() for p in postures],
)
def test_robot_has_no_findings_and_rests_in_each_posture(name, posture):
    report = check_robot(name, start=posture)
    assert report.findings == ()
    assert report.rest.max_speed is not None
    assert report.rest.max_speed < 1e-3  # rad/s, m/s: what the fact sheets ask for


@pytest.mark.parametrize("name", robots.PARTS)
def test_part_is_clean(name):
    report = check_robot(name, seconds=0.0)
    assert {finding.code for finding in report.findings} <= {"model-none"}


@every_model
def test_geoms_are_either_drawn_or_hard(file):
    model = mujoco.MjModel.from_xml_path(str(file))
    for g in range(model.ngeom):
        hard = bool(model.geom_contype[g] or model.geom_conaffinity[g])
        assert model.geom_group[g] == (3 if hard else 2)
        assert model.geom(g).name or not hard


@every_model
def test_two_of_a_kind_load_without_a_warning(file, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = mujoco.MjSpec()
    for prefix in ("r1/", "r2/"):
        robot = mujoco.MjSpec.from_file(str(file))
        scene.attach(robot, prefix=prefix, frame=scene.worldbody.add_frame())
    scene.compile()
    assert capfd.readouterr() == ("", "") and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "file",  # MADAR's arms are inside its mast with all joints at zero
    [file for file in MODELS if file.parent.name != "madar"],
    ids=lambda file: f"{file.parent.name}/{file.stem}",
)
def test_robot_bolted_to_the_world_touches_nothing(file):
    model = mujoco.MjModel.from_xml_path(str(file))  # no free joint: no neighbour is excused
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = [(model.geom(c.geom1).name, model.geom(c.geom2).name) for c in data.contact]
    assert pairs == []
