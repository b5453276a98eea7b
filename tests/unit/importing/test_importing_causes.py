"""One cause with many findings: the cause first, what follows folded; nothing is left out."""

import re

from robot_files import arm_urdf, write_urdf
from typer.testing import CliRunner

from mecano.checkup import Finding, check_robot
from mecano.checkup.causes import SHOWN, cause_first, folded
from mecano.cli.app import app


def in_millimetres(text: str) -> str:
    """Return a URDF with all lengths a thousand times as long."""

    def longer(match: re.Match[str]) -> str:
        return f'{match[1]}="{" ".join(f"{1e3 * float(v):g}" for v in match[2].split())}"'

    parts = re.split(r"(<axis [^>]*>)", text)
    lengths = r'\b(xyz|size|radius|length)="([^"]+)"'
    return "".join(p if p.startswith("<axis") else re.sub(lengths, longer, p) for p in parts)


def test_file_in_millimetres_is_one_cause_before_all_others(tmp_path):
    report = check_robot(write_urdf(tmp_path, in_millimetres(arm_urdf())))
    first = report.findings[0]
    assert first.code == "units-millimetres" and "whole file" in first.message
    lengths = [each.code == "units-millimetres" for each in report.findings]
    assert sum(lengths) > 20 and lengths == sorted(lengths, reverse=True)


def test_text_of_one_cause_is_short_and_counts_what_follows(tmp_path):
    file = write_urdf(tmp_path, in_millimetres(arm_urdf()))
    short = CliRunner().invoke(app, ["check-robot", str(file), "--seconds", "0"]).output
    whole = CliRunner().invoke(app, ["check-robot", str(file), "--seconds", "0", "--all"]).output
    assert "whole file" in short.splitlines()[0] and "more like it" in short
    assert len(short.splitlines()) < 12 < 30 < len(whole.splitlines())


def finding(code: str, number: int) -> Finding:
    return Finding(code=code, severity="warning", where=f"link {number}", message="wrong")


def test_two_long_parts_are_no_common_cause():
    two = [finding("units-millimetres", 1), finding("units-millimetres", 2)]
    assert cause_first(two, "robot") == tuple(two)


def test_folding_keeps_every_finding():
    given = [finding("mesh-missing", i) for i in range(9)] + [finding("limit-zero", 9)]
    rows = list(folded(given))
    assert [each for row, others in rows for each in (row, *others)] == given
    assert len(rows) == SHOWN + 1
