"""Every code that a check can report stands in docs/check_robot.md, with what to do."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "mecano"
REPORTERS = {"error", "warn", "note", "report", "_refused", "Refused", "Finding"}
CODE = re.compile(r"[a-z]+(-[a-z]+)+")


def codes_in(file: Path) -> set[str]:
    """Return the words that look like codes in calls that report something."""
    words: list[ast.expr] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in REPORTERS:
            words += node.args[:1]
            words += [key.value for key in node.keywords if key.arg == "code"]
    texts = [word.value for word in words if isinstance(word, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and CODE.fullmatch(text)}


def test_every_code_is_documented():
    files = [*(SOURCE / "importing").glob("*.py"), *(SOURCE / "checkup").glob("*.py")]
    used = set().union(*map(codes_in, files))
    page = (ROOT / "docs" / "check_robot.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", page))
    assert len(used) > 60
    assert used - listed == set()
