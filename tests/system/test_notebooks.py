"""The lesson notebooks and the pages of the documentation run as printed."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mecano

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
ROBOTS = Path(mecano.__file__).parent / "robots"
PAGES = [
    ROOT / "docs" / "two_link.md",
    ROOT / "docs" / "kinematics.md",
    ROBOTS / "open_manipulator_x" / "README.md",
    ROBOTS / "two_link" / "README.md",
]


def _by_name(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"


@pytest.mark.parametrize("page", PAGES, ids=_by_name)
def test_python_of_the_page_prints_what_the_page_says(page):
    pytest.importorskip("sympy")
    text = page.read_text(encoding="utf-8")
    # A fence would count as printed text; an empty line in its place keeps the line numbers.
    text = re.sub(r"^```.*$", "", text, flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert examples.examples, "the page has no examples"
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=_by_name)
def test_commands_of_the_page_run(page, monkeypatch):
    pytest.importorskip("sympy")
    from mecano.cli.app import app

    monkeypatch.setenv("COLUMNS", "100")
    commands = re.findall(r"^    mecano (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands, "the page shows no commands"
    for command in commands:
        result = CliRunner().invoke(app, shlex.split(command, comments=True))
        assert result.exit_code in (0, 1), f"mecano {command}: {result.output}{result.exception}"
        assert result.stdout, f"mecano {command} printed nothing"


@pytest.mark.parametrize("page", PAGES, ids=_by_name)
def test_links_of_the_page_lead_to_files(page):
    for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert "://" in link or (page.parent / link).exists(), f"{link} does not exist"


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=_by_name)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the libraries that run notebooks
def test_every_cell_of_the_notebook_runs(notebook, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    for variable in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    # The kernel is another process and works in another folder: tell it which Mecano is tested.
    monkeypatch.setenv("PYTHONPATH", str(Path(mecano.__file__).parents[1]))
    lesson = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(
        lesson, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    outputs = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    assert any(output.output_type == "display_data" for output in outputs), "no picture was drawn"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=_by_name)
def test_notebook_is_stored_without_outputs(notebook):
    nbformat = pytest.importorskip("nbformat")
    lesson = nbformat.read(notebook, as_version=4)
    nbformat.validate(lesson)
    for cell in lesson.cells:
        assert not cell.get("outputs"), "clear the outputs before storing the notebook"
        assert cell.get("execution_count") is None


def test_there_is_a_lesson():
    assert [file.name for file in NOTEBOOKS][:1] == ["01_kinematics.ipynb"]
