"""`check_robot`: all checks of a robot, from its file or description to five seconds at rest."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mecano import robots
from mecano.checkup.arrival import check_arrival
from mecano.checkup.causes import cause_first
from mecano.checkup.contract import check_contract, compile_model, solver_note
from mecano.checkup.model_checks import (
    check_effort,
    check_self_collision,
    check_zero_posture,
)
from mecano.checkup.report import Report, Rest
from mecano.checkup.rest import check_rest
from mecano.checkup.sheet_checks import check_datasheet
from mecano.checkup.topic_checks import check_topics
from mecano.core.errors import InvalidInput, MecanoError, UnknownName, UserCodeFailed
from mecano.importing.files import read_xml
from mecano.importing.findings import Findings, UnreadableRobot
from mecano.importing.folders import check_folder
from mecano.importing.importer import Imported, import_robot
from mecano.importing.urdf import parse_urdf
from mecano.importing.urdf_checks import check_urdf
from mecano.importing.urdf_repair import simulatable
from mecano.lab.robot import Place, connect_all
from mecano.robots.description import RobotDescription

SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".srdf")
SECONDS = 5.0
"""Time in which a robot must hold its home posture [s]."""
Tell = Callable[[int, int], None]
_NOT_AT_REST = Rest(seconds=0.0, max_speed=None)


def check_robot(
    source: str | Path | RobotDescription,
    *,
    arguments: Mapping[str, str] | None = None,
    packages: Sequence[Path] = (),
    allow_outside: bool = False,
    seconds: float = SECONDS,
    start: str = "home",
    tell: Tell | None = None,
) -> Report:
    """Check a robot and say in plain words what is wrong with it.

    Args:
        source: URDF, xacro or MJCF file, a robot's folder, a name of the catalogue, or a
            description.
        arguments: Of xacro files.
        packages: Packages, or folders with packages, that `package://` and `$(find)` may mean.
        allow_outside: Let xacro include files outside the robot's folder and its packages.
        seconds: How long it must hold a posture [s]; 0 leaves the simulation out.
        start: Which posture; a file has only those that it names itself.
        tell: Is given how much is done, of 100.

    Raises:
        InvalidInput: There is no such file, folder or robot; what is wrong with one that is there
            is a finding.
    """
    rest = _RestWanted(seconds, start)
    steps = _Steps(tell or (lambda done, total: None))
    if isinstance(source, RobotDescription):
        return _check_description(source, Findings(), rest, steps)
    robots.check_length(source)
    path = Path(source)
    if path.is_file() or (path.exists() and not path.is_dir()):
        return _check_file(path, arguments or {}, packages, allow_outside, rest, steps)
    if path.is_dir() and not (path / robots.FILE).is_file() and str(source) not in _known():
        check_folder(path)
        return _check_file(path, arguments or {}, packages, allow_outside, rest, steps)
    if path.suffix.lower() in SUFFIXES or (len(path.parts) > 1 and not path.is_dir()):
        raise InvalidInput(f"there is no file {source}; name a robot's file, folder or name")
    try:
        description = robots.get(source)
    except UnknownName:
        raise
    except (UserCodeFailed, InvalidInput) as error:
        findings = Findings()
        findings.error("description-broken", f"{path / robots.FILE}", str(error))
        return _report(path.name, findings, _NOT_AT_REST)
    return _check_description(description, Findings(), rest, steps)


@dataclass(frozen=True)
class _RestWanted:
    """How long a robot must hold which posture."""

    seconds: float
    posture: str


class _Steps:
    """Progress over several steps, of 100."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def part(self, start: int, end: int) -> Tell:
        def tell(done: int, total: int) -> None:
            self._tell(start + round((end - start) * done / max(total, 1)), 100)

        return tell


def check_imported(
    file: str | Path,
    imported: Imported,
    *,
    arguments: Mapping[str, str] | None = None,
    packages: Sequence[Path] = (),
    allow_outside: bool = False,
    seconds: float = SECONDS,
    tell: Tell | None = None,
) -> Report:
    """Return what `check_robot` says of a file, of a robot that was just imported from it.

    Args:
        file: That it was imported from.
        imported: What became of it.
        arguments: As for `check_robot`.
        packages: As for `check_robot`.
        allow_outside: As for `check_robot`.
        seconds: As for `check_robot`.
        tell: As for `check_robot`.
    """
    steps = _Steps(tell or (lambda done, total: None))
    read = _read_file(Path(file), arguments or {}, packages, allow_outside, steps)
    rest = _rest_of(imported, read, _RestWanted(seconds, "home"), steps)
    return _report(read.name, read.findings, rest)


@dataclass
class _Read:
    """What the text of a file says, before a model is made of it."""

    name: str
    findings: Findings
    states: bool = False
    """Whether it names postures of its own."""
    readable: bool = True


def _read_file(
    file: Path,
    arguments: Mapping[str, str],
    packages: Sequence[Path],
    allow_outside: bool,
    steps: _Steps,
) -> _Read:
    read = _Read(file.name.split(".")[0], Findings())
    if file.is_dir():
        return read
    try:
        root, _ = read_xml(file)
        if root.tag == "mujoco":
            read.name = root.attributes.get("model") or read.name
        else:
            robot = parse_urdf(
                file, arguments=arguments, packages=packages, allow_outside=allow_outside
            )
            read.name = robot.name
            read.states = robot.srdf is not None and bool(robot.srdf.states)
            read.findings.extend(robot.findings)
            read.findings.extend(simulatable(robot)[1])
            read.findings.extend(check_urdf(robot, tell=steps.part(0, 30)))
    except UnreadableRobot as error:
        read.findings.extend(error.findings)
        read.readable = False
    return read


def _check_file(
    file: Path,
    arguments: Mapping[str, str],
    packages: Sequence[Path],
    allow_outside: bool,
    wanted: _RestWanted,
    steps: _Steps,
) -> Report:
    read = _read_file(file, arguments, packages, allow_outside, steps)
    findings, rest = read.findings, _NOT_AT_REST
    if not read.readable:
        return _report(read.name, findings, rest)
    with tempfile.TemporaryDirectory(prefix="mecano-check-") as folder:
        try:
            imported = import_robot(
                file, Path(folder) / "robot", arguments=arguments, packages=packages,
                allow_outside=allow_outside, tell=steps.part(30, 60),
            )  # fmt: skip
            rest = _rest_of(imported, read, wanted, steps)
        except UnreadableRobot as error:
            findings.extend(error.findings)
        except MecanoError as error:
            findings.error("import-failed", file.name, f"cannot be made into a model: {error}")
        except Exception as error:  # somebody's file found a fault of ours: the rest still counts
            findings.error(
                "internal-error", file.name,
                f"Mecano failed on this file ({type(error).__name__}: {error}); that is a fault of "
                "Mecano, please report it with the file",
            )  # fmt: skip
    return _report(read.name, findings, rest)


def _rest_of(imported: Imported, read: _Read, wanted: _RestWanted, steps: _Steps) -> Rest:
    """Check the robot that was made of a file."""
    read.findings.extend(imported.findings)
    report = _check_description(
        imported.description, read.findings, wanted, steps, zero=not read.states
    )
    return report.rest


def _check_description(
    robot: RobotDescription,
    findings: Findings,
    wanted: _RestWanted,
    steps: _Steps,
    *,
    zero: bool = False,
) -> Report:
    model = compile_model(robot, findings)
    if model is None:
        return _report(robot.name, findings, _NOT_AT_REST)
    if check_contract(robot, model, findings):
        check_datasheet(robot, model, findings)
    solver_note(robot, findings)
    try:
        place = {"robot": Place(robot)}
        connected = connect_all(place, scene=robot.scene, start=wanted.posture)["robot"]
    except (MecanoError, KeyError) as error:
        findings.error("connect-refused", robot.name, f"`mecano.connect` refuses it: {error}")
        return _report(robot.name, findings, _NOT_AT_REST)
    rest = _NOT_AT_REST
    try:
        check_self_collision(connected, findings)
        if zero:
            check_zero_posture(connected, findings)
        check_effort(connected, findings)
        check_topics(connected, findings)
        if wanted.seconds > 0.0:
            rest = check_rest(
                connected, findings, seconds=wanted.seconds, posture=wanted.posture,
                tell=steps.part(60, 90),
            )  # fmt: skip
            if not findings.has("falls-over", "physics-broken", "rest-refused"):
                check_arrival(connected, findings)
            steps.part(90, 100)(1, 1)
    finally:
        connected.close()
    return _report(robot.name, findings, rest)


def _known() -> tuple[str, ...]:
    return (*robots.ROBOTS, *robots.PARTS, *robots.plugins())


def _report(name: str, findings: Findings, rest: Rest) -> Report:
    return Report(robot=name, findings=cause_first(findings.sorted(), name), rest=rest)
