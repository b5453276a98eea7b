"""`mecano ik`: joint values for a pose of the tool, or why there are none."""

import csv
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.catalog import AsJson, ChainName, Robot, number

if TYPE_CHECKING:
    from mecano.kinematics.chain import Chain
    from mecano.kinematics.ik import IKResult

Coordinate = Annotated[
    float | None, typer.Argument(parser=number, help="Point in the frame of the chain (m).")
]
Use = Annotated[
    list[str] | None,
    typer.Option("--use", help="Your own function for a stage: ik=student.py:solve."),
]
Pose = tuple[list[float], float | None]
"""A point in the frame of the chain [m] and a pitch [rad]; None is free."""


def ik(
    robot: Robot,
    x: Coordinate = None,
    y: Coordinate = None,
    z: Coordinate = None,
    pitch: Annotated[
        float | None,
        typer.Option(parser=number, help="Nose-down angle of the tool (rad); free if not given."),
    ] = None,
    roll: Annotated[
        float | None,
        typer.Option(parser=number, help="Turn of the hand about its nose (rad); 0 is upright."),
    ] = None,
    quaternion: Annotated[
        tuple[float, float, float, float] | None,
        typer.Option(metavar="W X Y Z", help="Full orientation, in the place of pitch and roll."),
    ] = None,
    chain: ChainName = None,
    start: Annotated[
        str | None,
        typer.Option(help="Stay near this posture: a name or joint values with commas."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All solutions, not only the nearest.")
    ] = False,
    batch: Annotated[
        Path | None, typer.Option(help="A CSV file with x,y,z,pitch per line, for many poses.")
    ] = None,
    use: Use = None,
    as_json: AsJson = False,
) -> None:
    """Print joint values that bring the tool to a pose (inverse kinematics), or why there are none.

    Exit code 0 if the pose is reached, 1 if not. Reason codes: too_far, too_close, joint_limit,
    pitch, orientation, singular, not_converged, wrong_answer.

    Example: mecano ik open_manipulator_x 0.2 0 0.1 --pitch 0.5 --all
    """
    from mecano.core.errors import InvalidInput
    from mecano.importing.sources import find_robot
    from mecano.world.chain_frames import chain_frame

    description = find_robot(robot)
    arm = description.chain(chain)
    frame = chain_frame(description, arm.name)
    posture = _posture(arm, start)
    with _solver(arm, use or [], posture) as solve:
        if batch is not None:
            if any(given is not None for given in (x, pitch, roll, quaternion)):
                raise InvalidInput("--batch takes its poses from the file; leave out the others")
            poses = _read_batch(batch)
            results = [solve(point, pitch=angle) for point, angle in poses]
        elif x is None or y is None or z is None:
            raise InvalidInput("a point needs x, y and z in metres, or --batch FILE.csv")
        else:
            poses = None
            results = [solve([x, y, z], pitch=pitch, roll=roll, quaternion=quaternion)]
    if as_json:
        named = {"frame": frame, "chain": arm.name}
        answers = [_as_json(result, arm, every) | named for result in results]
        print(json.dumps(answers[0] if poses is None else answers))
    else:
        if poses is None:
            _print(results[0], arm, every)
        else:
            _print_batch(poses, results, arm, every)
        print(f"of the tool of chain {arm.name}, in the frame {frame}; solver: {arm.solver}")
    if not all(result.reached for result in results):
        raise typer.Exit(1)


@contextmanager
def _solver(arm: "Chain", uses: list[str], start) -> "Iterator[Callable[..., IKResult]]":
    """Give our solver or the user's, called like `Chain.inverse`."""
    import numpy as np

    from mecano.core.errors import InvalidInput
    from mecano.kinematics.ik import IKTarget
    from mecano.stages.ik_stage import solve_with_stage
    from mecano.stages.user_stage import UserStage, parse_use

    source = parse_use(uses).get("ik")
    if source is None:
        yield partial(arm.inverse, start=start)
        return

    def solve(position, pitch=None, roll=None, quaternion=None) -> "IKResult":
        if roll is not None or quaternion is not None:
            raise InvalidInput("a user's ik stage takes a pitch, not a roll or a quaternion")
        target = IKTarget.checked(np.asarray(position), pitch=pitch)
        return solve_with_stage(stage, arm, target.position, target.pitch, start)

    with UserStage("ik", source) as stage:
        yield solve


def _posture(arm: "Chain", text: str | None):
    """Return the posture a name or a list of numbers stands for."""
    from mecano.core.errors import UnknownName

    if text is None:
        return None
    if text in arm.postures:
        return arm.dh.check(arm.postures[text])
    try:
        values = [float(value) for value in text.split(",")]
    except ValueError:
        raise UnknownName("posture", text, arm.postures) from None
    return arm.dh.check(values, limits=True)


def _read_batch(file: Path) -> list[Pose]:
    """Return the poses of a CSV file; a line of words at the top is taken for a heading."""
    from mecano.core.errors import InvalidInput

    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            rows = [
                (n, row) for n, row in enumerate(csv.reader(lines), 1) if any(map(str.strip, row))
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"cannot read {file}: {reason}") from None
    if rows and not _is_number(rows[0][1][0]):
        rows = rows[1:]
    if not rows:
        raise InvalidInput(f"{file} holds no poses; it needs x,y,z,pitch on each line")
    return [_pose_of(file, number, row) for number, row in rows]


def _pose_of(file: Path, number: int, row: list[str]) -> Pose:
    """Return point and pitch of one line; an empty pitch is free."""
    from mecano.core.errors import InvalidInput

    if len(row) != 4:
        raise InvalidInput(f"{file} line {number}: {len(row)} values, needed are 4: x,y,z,pitch")
    try:
        point = [float(value) for value in row[:3]]
        pitch = float(row[3]) if row[3].strip() else None
    except ValueError as error:
        raise InvalidInput(f"{file} line {number}: {error}") from None
    if not all(map(math.isfinite, [*point, pitch or 0.0])):
        raise InvalidInput(f"{file} line {number}: numbers must be finite, got {','.join(row)}")
    return point, pitch


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_json(result: "IKResult", arm: "Chain", every: bool) -> dict:
    solutions = result.solutions if every else result.solutions[:1]
    rolled = {"roll": result.nearest.roll} if arm.rolls else {}
    return {
        "reached": result.reached,
        "solutions": solutions.tolist(),
        "reason": result.reason,
        "message": result.message,
        "shortfall_mm": result.shortfall * 1000.0,
        "nearest": {
            "position": result.nearest.position.tolist(),
            "pitch": result.nearest.pitch,
            **rolled,
            "joints": result.nearest.joints.tolist(),
        },
    }


def _print_batch(poses: list[Pose], results: "list[IKResult]", arm: "Chain", every: bool) -> None:
    for (point, pitch), result in zip(poses, results, strict=True):
        angle = "free" if pitch is None else f"{pitch:g} rad"
        print(f"({', '.join(f'{value:g}' for value in point)}) m, pitch {angle}:")
        _print(result, arm, every)


def _print(result: "IKResult", arm: "Chain", every: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    from mecano.kinematics.joint_names import short_joint_names

    solutions = result.solutions if every else result.solutions[:1]
    if result.reached:
        typer.secho(result.message, fg="green")
    else:
        typer.secho(f"not reached: {result.message}", fg="yellow")
        x, y, z = result.nearest.position
        rolled = f" and roll {result.nearest.roll:.4f} rad" if arm.rolls else ""
        print(
            f"nearest  ({x:.4f}, {y:.4f}, {z:.4f}) m at pitch {result.nearest.pitch:.4f} rad"
            f"{rolled}, {result.shortfall * 1000:.1f} mm away"
        )
        solutions = result.nearest.joints[None]
    head = "solution" if result.reached else "nearest"
    table = Table(
        head, *short_joint_names(arm), "", box=None, pad_edge=False, collapse_padding=True
    )
    for count, q in enumerate(solutions, 1):
        units = {joint.unit for joint in arm.dh.joints}
        table.add_row(str(count), *(f"{value:.6f}" for value in q), "/".join(sorted(units)))
        if units == {"rad"}:
            table.add_row("", *(f"{math.degrees(value):.2f}" for value in q), "deg", style="dim")
    Console().print(table)
