"""`mecano fk` and `mecano workspace`: where the tool is, and where it can be."""

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from mecano.cli.catalog import AsJson, ChainName, Robot, number
from mecano.cli.remarks import mention


def fk(
    robot: Robot,
    joints: Annotated[
        list[float],
        typer.Argument(parser=number, help="Joint values, base to tool (rad or m)."),
    ],
    chain: ChainName = None,
    as_json: AsJson = False,
    limits: Annotated[
        bool, typer.Option("--limits/--no-limits", help="Refuse values outside the joint limits.")
    ] = True,
) -> None:
    """Print the pose of a chain's tool at joint values (forward kinematics), and its frame.

    Of a leg it is that of the tip, in the frame of the body.

    Example: mecano fk open_manipulator_x 0 -1.05 0.35 0.7
    """
    from mecano.core.errors import InvalidInput, JointLimitViolated
    from mecano.core.poses import quaternion_from_matrix
    from mecano.importing.sources import find_robot
    from mecano.world.chain_frames import chain_frame

    description = find_robot(robot)
    arm = description.chain(chain)
    try:
        q = arm.dh.check(joints, limits=limits)
    except JointLimitViolated as error:
        raise InvalidInput(f"{error}, or add --no-limits to compute it all the same") from None
    T, roll = arm.forward(q), arm.roll(q)
    pose = {
        "position": T[:3, 3].tolist(),
        "quaternion": quaternion_from_matrix(T[:3, :3]).tolist(),
        "pitch": arm.pitch(q),
        **({} if roll is None else {"roll": roll}),
        "frame": chain_frame(description, arm.name),
        "chain": arm.name,
    }
    if as_json:
        print(json.dumps(pose))
        return
    print(f"position    {_row(pose['position'])} m")
    print(f"quaternion  {_row(pose['quaternion'])}  (w x y z)")
    down = math.degrees(pose["pitch"])
    print(f"pitch       {_row([pose['pitch']])} rad ({_row([down], 2)} deg, nose down is positive)")
    if roll is not None:
        turned = _row([math.degrees(roll)], 2)
        print(f"roll        {_row([roll])} rad ({turned} deg, about the nose)")
    print(f"of          tool of chain {arm.name}, in the frame {pose['frame']}")


def _row(values: list[float], digits: int = 5) -> str:
    """Return numbers in columns, without the minus sign of a zero."""
    return " ".join(f"{round(value, digits) + 0.0:{digits + 4}.{digits}f}" for value in values)


def workspace(
    robot: Robot,
    chain: ChainName = None,
    samples: Annotated[int, typer.Option(help="Random postures to try.", min=10)] = 100_000,
    grid: Annotated[
        int | None, typer.Option(help="Values per joint, in the place of random postures.", min=2)
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random postures.", min=0)] = 0,
    cell: Annotated[float, typer.Option(help="Edge of the cells for the volume (m).")] = 0.02,
    save: Annotated[
        Path | None, typer.Option(help="Write the points to this .csv, or a picture to this .png.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Sample where the tool can get to: extent, hull, volume.

    Example: mecano workspace open_manipulator_x --samples 200000 --save reach.png
    """
    import numpy as np

    from mecano.cli.progress import progress
    from mecano.core.errors import InvalidInput
    from mecano.importing.sources import find_robot
    from mecano.kinematics.workspace import sample_workspace

    if save is not None and save.suffix not in (".csv", ".png"):
        raise InvalidInput(f"--save takes a .csv or a .png file, got '{save}'")
    arm = find_robot(robot).chain(chain)
    with progress("sampling postures") as advance:
        reached = sample_workspace(
            arm.dh, samples=samples, grid=grid, rng=np.random.default_rng(seed), on_progress=advance
        )
    if save is not None:
        _save(reached, save, robot)
    low, high = reached.extent
    figures = {
        "robot": robot,
        "chain": arm.name,
        "samples": len(reached.points),
        "extent": {"min": low.tolist(), "max": high.tolist()},
        "hull_volume": reached.hull_volume,
        "volume": reached.volume(cell),
    }
    if as_json:
        print(json.dumps(figures))
        return
    print(f"{len(reached.points):,} postures of {robot} {arm.name}")
    for axis, least, most in zip("xyz", low, high, strict=True):
        print(f"{axis}  {least:8.4f} ... {most:8.4f} m")
    print(f"convex hull      {figures['hull_volume'] * 1000:8.2f} litres")
    cells = f"cells of {cell * 1000:g} mm that hold a point; more samples find more"
    print(f"reached cells    {figures['volume'] * 1000:8.2f} litres ({cells})")


def _save(reached, file: Path, robot: str) -> None:
    import numpy as np

    from mecano.core.errors import InvalidInput

    try:
        if file.suffix == ".csv":
            np.savetxt(
                file, reached.points, delimiter=",", header="x_m,y_m,z_m", comments="", fmt="%.6f"
            )
        else:
            _picture(reached, file, robot)
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}; choose another place") from None
    mention(f"wrote {file}")


def _picture(reached, file: Path, robot: str) -> None:
    """Draw the points from the side and from above."""
    from mecano.core.errors import MissingExtra

    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise MissingExtra("matplotlib", "teach", purpose="a picture of the workspace") from None
    figure = Figure(figsize=(10, 5), layout="constrained")
    views = ((0, 2, "from the side"), (0, 1, "from above"))
    for axes, (across, up, title) in zip(figure.subplots(1, 2), views, strict=True):
        points = reached.points
        axes.scatter(points[:, across], points[:, up], s=0.2, alpha=0.2, color="tab:blue")
        axes.set(
            xlabel=f"{'xyz'[across]} [m]", ylabel=f"{'xyz'[up]} [m]", title=title, aspect="equal"
        )
        axes.grid(alpha=0.3)
    figure.suptitle(f"{robot}: {len(reached.points):,} postures")
    figure.savefig(file, dpi=120)
