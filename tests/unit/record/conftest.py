import pytest

from mecano import tasks
from mecano.record.header import experiment_header, session_header
from mecano.record.recorder import Recorder


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "run"
    made.mkdir()
    return made


@pytest.fixture
def warnings_given():
    """What a recorder warned of; a test that expects something takes it out."""
    given = []
    yield given
    assert given == []


@pytest.fixture(autouse=True)
def quick_plots(request, monkeypatch):
    """Plots take half a second each; tests draw them only where they say so."""
    if "real_plots" not in request.fixturenames:
        for name in ("plot_joints", "plot_tool_path", "plot_cups"):
            monkeypatch.setattr(f"mecano.record.products.{name}", lambda _, file: file.touch())


@pytest.fixture
def real_plots():
    """Ask for the real plots."""


@pytest.fixture
def record(folder, warnings_given):
    """Record a robot: `record(robot)` returns the recorder."""

    def begin(robots, header=None):
        header = header or session_header(title="test")
        return Recorder(robots, folder, header, warn=warnings_given.append)

    return begin


@pytest.fixture
def recorded_run(folder, warnings_given):
    """Record an experiment: `recorded_run("robot/name")` returns its result."""

    def run(name, **options):
        experiment = tasks.get(name)
        header = experiment_header(
            experiment=name, title=experiment.title, scene=experiment.scene,
            seed=options.get("seed", 0), noise=options.get("noise", False),
        )  # fmt: skip
        recorders = []
        result = tasks.run_experiment(
            experiment,
            **options,
            watch=lambda robot: recorders.append(
                Recorder(robot, folder, header, warn=warnings_given.append)
            ),
        )
        recorders[0].close(result.to_json())
        return result

    return run
