"""Damaged URDFs: every kind is named, and none ends in a traceback, a hang or NaN."""

import json
import math

import pytest
from urdf_samples import ARM, DAMAGES, write_arm

from mecano.cli.app import main


def check(capsys, *words) -> tuple[int, dict]:
    with pytest.raises(SystemExit) as ended:
        main(["check-robot", *map(str, words), "--json"])
    out = capsys.readouterr().out
    return int(ended.value.code or 0), json.loads(out, parse_constant=_refuse)


def _refuse(word: str) -> float:
    raise AssertionError(f"{word} in the report")


def test_the_undamaged_arm_is_clean(tmp_path, capsys):
    code, report = check(capsys, write_arm(tmp_path))
    assert report["findings"] == []
    assert (code, report["ok"], report["robot"]) == (0, True, "small_arm")
    assert report["rest"]["seconds"] == 5.0 and report["rest"]["max_speed"] < 0.01


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.name.replace(" ", "-"))
def test_damage_is_named(tmp_path, capsys, damage):
    file = write_arm(tmp_path, damage.harm(ARM))
    if damage.mesh is not None:
        damage.mesh(tmp_path / "meshes" / "fore.stl")
    code, report = check(capsys, file, "--seconds", 1)
    found = {each["code"]: each for each in report["findings"]}
    assert damage.code in found, sorted(found)
    named = found[damage.code]
    assert named["where"] and len(named["message"]) > 20
    if named["severity"] != "note":
        assert code == 1 and not report["ok"]
    speed = report["rest"]["max_speed"]
    assert speed is None or math.isfinite(speed)


def test_there_are_at_least_thirty_kinds():
    assert len({damage.name for damage in DAMAGES}) >= 70
    assert len({damage.code for damage in DAMAGES}) >= 40


def test_a_heavy_negative_mass_is_not_called_no_mass(tmp_path, capsys):
    harmed = ARM.replace('<mass value="1.5"/>', '<mass value="-150"/>', 1)
    _, report = check(capsys, write_arm(tmp_path, harmed), "--seconds", 0)
    codes = {each["code"] for each in report["findings"]}
    assert "mass-negative" in codes and "mass-none" not in codes
