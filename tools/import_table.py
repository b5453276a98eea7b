"""Imports every robot of a collection, lets each rest, compares FK with pinocchio, writes a table.

    python tools/import_table.py FOLDER --out docs/imported_robots.md [--only ur] [--ik 20000]

The folder is that of the PyPI package example-robot-data (`.../share/example-robot-data/robots`).
Each robot is imported in a process of its own, with a time limit.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIME_LIMIT = 300.0
"""For one robot [s]."""
POSTURES = 20
"""Random postures in which all frames are compared with pinocchio's."""
PICTURES = ("ur10", "panda", "tiago_pro", "talos", "go2", "g1")
"""Robots that `mecano picture FILE` has drawn for the page."""
FOUND = 1e-6
"""A posture was found again if a solution is within this [rad or m]."""


def examine(file: Path, ik: int) -> dict:
    """Import one robot and return what was found, as plain values."""
    from mecano.checkup import check_robot
    from mecano.core.errors import MecanoError
    from mecano.importing import UnreadableRobot, import_robot

    row: dict = {"loads": False, "findings": [], "chains": {}, "joints": 0}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "robot")
        start = time.perf_counter()
        try:
            imported = import_robot(file, out)
        except UnreadableRobot as error:
            row["findings"] = [[f.code, f.severity, f.message] for f in error.findings]
            return row
        except MecanoError as error:
            row["findings"] = [["refused", "error", str(error)]]
            return row
        row["seconds"] = time.perf_counter() - start
        row["loads"] = True
        row["free"] = imported.structure.why_free
        row["base"] = None if imported.structure.base is None else imported.structure.base.kind
        row["grippers"] = len(imported.structure.grippers)
        row["chains"] = {name: [len(j), solver] for name, (j, solver) in imported.chains.items()}
        report = check_robot(out)
        row["rest"] = report.rest.max_speed
        found = [*imported.findings, *report.findings]
        row["findings"] = [[f.code, f.severity, f.message] for f in found]
        row["fk"] = compare(file, out)
        if ik:
            row["ik"] = again(imported.description, ik)
    return row


def compare(file: Path, folder: Path) -> float | None:
    """Return the largest difference of any frame from pinocchio's, seen from the root [m, 1]."""
    import mujoco
    import numpy as np
    import pinocchio as pin

    theirs = pin.buildModelFromUrdf(str(file))
    values = theirs.createData()
    ours = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
    data = mujoco.MjData(ours)
    names = {ours.body(i).name: i for i in range(1, ours.nbody)}
    frames = [
        (i, names[f.name])
        for i, f in enumerate(theirs.frames)
        if f.type == pin.FrameType.BODY and f.name in names
    ]
    if not frames:
        return None
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(POSTURES):
        q = pin.neutral(theirs)
        for joint in range(1, theirs.njoints):
            name, kind = theirs.names[joint], theirs.joints[joint]
            if mujoco.mj_name2id(ours, mujoco.mjtObj.mjOBJ_JOINT, name) < 0:
                continue
            value = rng.uniform(-1.5, 1.5)
            data.joint(name).qpos[0] = value
            q[kind.idx_q] = value
            if kind.nq == 2:  # a joint without limits: cosine and sine
                q[kind.idx_q : kind.idx_q + 2] = np.cos(value), np.sin(value)
        mujoco.mj_kinematics(ours, data)
        pin.framesForwardKinematics(theirs, values, q)
        first = None
        for theirs_id, ours_id in frames:
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = data.xmat[ours_id].reshape(3, 3), data.xpos[ours_id]
            offset = T @ np.linalg.inv(values.oMf[theirs_id].homogeneous)
            first = offset if first is None else first
            worst = max(worst, float(np.abs(offset - first).max()))
    return worst


def again(description, count: int) -> dict[str, list[int]]:
    """Return how many of random postures the closed form of each chain finds again."""
    import numpy as np

    from mecano.core.poses import quaternion_from_matrix

    found: dict[str, list[int]] = {}
    for name, chain in description.chains.items():
        if chain.solver == "numerical":
            continue
        rng, hits = np.random.default_rng(1), 0
        lower, upper = chain.dh.lower, chain.dh.upper
        for q in rng.uniform(lower, upper, (count, len(lower))):
            T = chain.forward(q)
            if chain.solver in ("turret", "rolling_turret"):
                wish = {"pitch": chain.pitch(q), "roll": chain.roll(q)}
            else:
                wish = {"quaternion": quaternion_from_matrix(T[:3, :3])}
            result = chain.inverse(T[:3, 3], **wish, start=q)
            hits += any(np.abs(np.asarray(s) - q).max() < FOUND for s in result.solutions)
        found[name] = [hits, count]
    return found


def run(file: Path, ik: int) -> dict:
    """Examine one robot in a process of its own."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", str(file), "--ik", str(ik)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return {"loads": False, "findings": [["timeout", "error", f"over {TIME_LIMIT:g} s"]]}
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        return {"loads": False, "findings": [["crash", "error", last]]}


def verdict(row: dict) -> tuple[bool, str]:
    """Return whether a robot loads and rests, and the reason if not."""
    errors = [f for f in row["findings"] if f[1] == "error"]
    if not row["loads"]:
        return False, _short(errors[0] if errors else row["findings"][0])
    if row["rest"] is None or row["rest"] > 0.05 or any(f[0] == "falls-over" for f in errors):
        warned = [f for f in row["findings"] if f[1] != "note"]
        worst = [f for f in warned if f[0] in ("falls-over", "moves-at-rest", "physics-broken")]
        return False, _short((worst or errors or warned)[0])
    hung = [f for f in row["findings"] if f[0] == "falls-over"]
    return True, "hangs: " + hung[0][2].split(";")[0] if hung else ""


def _short(finding: list[str]) -> str:
    code, _, message = finding
    return f"`{code}`: {message[:160]}"


def table(rows: dict[str, dict]) -> str:
    """Return the table as a page of the docs."""
    good = sum(verdict(row)[0] for row in rows.values())
    lines = [
        "# Imported robots",
        "",
        "Every URDF and xacro file of the PyPI package `example-robot-data`, imported without hand "
        "work by `mecano import`, then left alone for 5 s in the posture it begins in (`mecano "
        "check-robot`). `python tools/import_table.py` makes this page.",
        "",
        f"**{good} of {len(rows)} load and stand or hang at rest.** The others say why.",
        "",
        "*FK*: largest difference of any frame from pinocchio's, over 20 random postures. *rest*: "
        "fastest joint in the last second. A chain is named with its number of joints and its "
        "solver, where that is a closed form.",
        "",
        " ".join(f"![{name}](pictures/imported_{name}.png)" for name in PICTURES),
        "",
        "| file | parts | stands | FK | rest | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        ok, why = verdict(row)
        parts = ", ".join(
            f"{chain} {count}" + ("" if solver == "numerical" else f" ({solver})")
            for chain, (count, solver) in row.get("chains", {}).items()
        )
        if row.get("base"):
            parts = f"{row['base']} base, {parts}"
        if row.get("grippers"):
            parts += f", {row['grippers']} gripper" + ("s" if row["grippers"] > 1 else "")
        fk = f"{row['fk']:.0e}" if row.get("fk") is not None else ""
        rest = f"{row['rest']:.1g}" if row.get("rest") is not None else ""
        said = ("yes" + (f"; {why}" if why else "")) if ok else f"**no**: {why}"
        said = said.replace("|", "\\|")
        lines.append(f"| {name} | {parts} | {row.get('free', '')} | {fk} | {rest} | {said} |")
    refound = [
        f"| {name} | {chain} | {row['chains'][chain][1]} | {hits:,} of {count:,} |"
        for name, row in rows.items()
        for chain, (hits, count) in row.get("ik", {}).items()
    ]
    if refound:
        lines += [
            "",
            "## Postures found again by the closed forms",
            "",
            "Random postures inside the limits; found again if a solution is within 1e-6 rad.",
            "",
            "| file | chain | solver | found again |",
            "|---|---|---|---|",
            *refound,
        ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Run over the collection, two robots at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", type=Path, help="Keep the raw values in this file.")
    parser.add_argument("--only", default="", help="Part of the file's path.")
    parser.add_argument("--ik", type=int, default=0, help="Postures to find again.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(examine(asked.one, asked.ik)))
        return
    found = [f for kind in ("*.urdf", "*.xacro") for f in asked.folder.rglob(kind)]
    files = sorted(f for f in found if asked.only in str(f.relative_to(asked.folder)))
    rows: dict[str, dict] = {}
    with ThreadPoolExecutor(asked.jobs) as pool:
        for file, row in zip(files, pool.map(lambda f: run(f, asked.ik), files), strict=True):
            rows[str(file.relative_to(asked.folder))] = row
            print(*verdict(row), file, file=sys.stderr, flush=True)
    if asked.json is not None:
        asked.json.write_text(json.dumps(rows, indent=1))
    if asked.out is not None:
        asked.out.write_text(table(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
