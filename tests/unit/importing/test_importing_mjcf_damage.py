"""Damaged MJCF files: every kind is named, and none ends in a traceback, a hang or NaN."""

import json
import math

import pytest
from mjcf_samples import ARM, DAMAGES, write_arm

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
    assert (code, report["ok"], report["robot"]) == (0, True, "small_arm"), report
    assert report["rest"]["max_speed"] < 0.01


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.name.replace(" ", "-"))
def test_damage_is_named(tmp_path, capsys, damage):
    code, report = check(capsys, write_arm(tmp_path, damage), "--seconds", 1)
    found = {each["code"]: each for each in report["findings"]}
    assert damage.code in found, report["findings"]
    named = found[damage.code]
    assert named["where"] and len(named["message"]) > 10
    assert damage.word in named["message"] + named["where"], named
    if named["severity"] != "note":
        assert code == 1 and not report["ok"]
    speed = report["rest"]["max_speed"]
    assert speed is None or math.isfinite(speed)


@pytest.mark.parametrize("text", ["\n\n<?xml version='1.0'?>\n" + ARM, "\ufeff" + ARM])
def test_blanks_and_marks_before_the_file_are_let_pass(tmp_path, capsys, text):
    file = write_arm(tmp_path)
    file.write_text(text, encoding="utf-8")
    code, report = check(capsys, file, "--seconds", 0.2)
    assert code == 0, report


def test_nothing_half_written_is_left(tmp_path, capsys):
    for damage in DAMAGES[:30]:
        place = tmp_path / damage.name.replace(" ", "_")
        file = write_arm(place, damage)
        with pytest.raises(SystemExit):
            main(["import", str(file), "--out", str(place / "out"), "--json"])
        left = sorted(each.name for each in place.iterdir())
        assert left in (["arm", "outside.xml"], ["arm", "out", "outside.xml"]), damage.name
    capsys.readouterr()
