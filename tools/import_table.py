"""Imports every robot of a collection, lets each rest, compares its FK, writes a table.

    python tools/import_table.py FOLDER --out docs/imported_robots.md [--only ur] [--ik 20000]

Every URDF, xacro and MJCF file below the folder is one robot: that of the PyPI package
example-robot-data (`.../share/example-robot-data/robots`), or any other. FK is compared with
pinocchio's (URDF), or with MuJoCo's on the file as it is (MJCF). Each robot is imported in a
process of its own, with a time limit.
"""

import argparse
import json
import re
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
MJCF = re.compile(rb"<mujoco[\s>]")
"""The root of a whole MJCF file."""
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
        row["hands"] = [len(hand.fingers) for hand in imported.structure.hands.values()]
        row["chains"] = {name: [len(j), solver] for name, (j, solver) in imported.chains.items()}
        report = check_robot(out)
        row["rest"] = report.rest.max_speed
        found = [*imported.findings, *report.findings]
        row["findings"] = [[f.code, f.severity, f.message] for f in found]
        try:
            row["fk"] = compare(file, out)
        except (
            ImportError,
            ValueError,
            RuntimeError,
        ) as error:  # they cannot read it, or are not there
            row["fk_refused"] = str(error)
        if ik:
            row["ik"] = again(imported.description, ik)
    return row


def compare(file: Path, folder: Path) -> float | None:
    """Return the largest difference of any frame from another program's, from the root [m, 1]."""
    import mujoco
    import numpy as np

    ours = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
    data = mujoco.MjData(ours)
    names = {ours.body(i).name: i for i in range(1, ours.nbody)}
    joints = {ours.joint(i).name for i in range(ours.njnt)}
    theirs = (_Mujoco if file.suffix == ".xml" else _Pinocchio)(file)
    frames = [(name, names[name]) for name in theirs.frames if name in names]
    if not frames:
        return None
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(POSTURES):
        values = {}
        for name in theirs.joints:
            own = f"{name}_turn" if f"{name}_turn" in joints else name  # what is drawn of a ball
            if own in joints:
                data.joint(own).qpos[0] = values[name] = rng.uniform(-1.5, 1.5)
        mujoco.mj_kinematics(ours, data)
        theirs.place(values)
        first = None
        for name, number in frames:
            offset = _pose(data, number) @ np.linalg.inv(theirs.pose(name))
            first = offset if first is None else first
            worst = max(worst, float(np.abs(offset - first).max()))
    return worst


def _pose(data, body: int):
    """Return a body's frame in the world. Shape (4, 4)."""
    import numpy as np

    T = np.eye(4)
    T[:3, :3], T[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
    return T


class _Mujoco:
    """The file as it is."""

    def __init__(self, file: Path) -> None:
        import mujoco

        self._model = model = mujoco.MjModel.from_xml_path(str(file))
        self._data = mujoco.MjData(model)
        robot = [b for b in range(1, model.nbody) if _moves(model, b)]
        self.frames = [model.body(b).name for b in robot if model.body(b).name]
        self.joints = [model.joint(j).name for j in range(model.njnt) if model.jnt_type[j] > 1]
        self.joints = [name for name in self.joints if name]

    def place(self, values: dict[str, float]) -> None:
        import mujoco

        for name, value in values.items():
            self._data.joint(name).qpos[0] = value
        mujoco.mj_kinematics(self._model, self._data)

    def pose(self, name: str):
        return _pose(self._data, self._model.body(name).id)


def _moves(model, body: int) -> bool:
    """Tell whether a body of a scene hangs on a hinge or slide."""
    while body:
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if any(model.jnt_type[j] > 1 for j in range(first, first + count)):
            return True
        body = int(model.body_parentid[body])
    return False


class _Pinocchio:
    """A URDF as pinocchio reads it."""

    def __init__(self, file: Path) -> None:
        import pinocchio as pin

        self._model = pin.buildModelFromUrdf(str(file))
        self._data = self._model.createData()
        self.joints = list(self._model.names)[1:]
        self._numbers = {
            f.name: i for i, f in enumerate(self._model.frames) if f.type == pin.FrameType.BODY
        }
        self.frames = list(self._numbers)

    def place(self, values: dict[str, float]) -> None:
        import numpy as np
        import pinocchio as pin

        q = pin.neutral(self._model)
        for name, value in values.items():
            joint = self._model.joints[self._model.getJointId(name)]
            q[joint.idx_q] = value
            if joint.nq == 2:  # a joint without limits: cosine and sine
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        pin.framesForwardKinematics(self._model, self._data, q)

    def pose(self, name: str):
        return self._data.oMf[self._numbers[name]].homogeneous


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


def robot_files(folder: Path) -> list[Path]:
    """Return the robots below a folder: URDF and xacro files, and whole MJCF files."""
    found = [f for kind in ("*.urdf", "*.xacro") for f in folder.rglob(kind)]
    found += [f for f in folder.rglob("*.xml") if MJCF.search(f.read_bytes())]
    return sorted(found)


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


NOT_WHOLE = ("robot-empty", "mesh-missing", "package-path", "not-xml")
"""Findings of files that are no robot, or whose meshes and packages are not there."""


def summary(name: str, rows: dict[str, dict]) -> str:
    """Return a collection as one row: files, whole ones, those at rest, hung up, the others."""
    good = {file for file, row in rows.items() if verdict(row)[0]}
    hung = [file for file in good if verdict(rows[file])[1]]
    others: dict[str, int] = {}
    broken = 0
    for file in rows.keys() - good:
        code = verdict(rows[file])[1].split("`")[1]
        others[code] = others.get(code, 0) + 1
        gone = code == "include" and "is not there" in verdict(rows[file])[1]
        broken += not rows[file]["loads"] and (code in NOT_WHOLE or gone)
    named = ", ".join(f"{count} `{code}`" for code, count in sorted(others.items()))
    worst = max((row["fk"] for row in rows.values() if row.get("fk") is not None), default=0.0)
    cells = (name, len(rows), len(rows) - broken, len(good), len(hung) or "", f"{worst:.0e}", named)
    return f"| {' | '.join(map(str, cells))} |"


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
        f"**{good} of {len(rows)} load and stand or hang at rest.** The others say why. "
        "[Other collections](imported_collections.md).",
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
        parts += "".join(f", a hand of {count} fingers" for count in row.get("hands", ()))
        parts = parts.removeprefix(", ")
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
    parser.add_argument("--skip", default="", help="Pattern of paths to leave out.")
    parser.add_argument("--ik", type=int, default=0, help="Postures to find again.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(examine(asked.one, asked.ik)))
        return
    named = {f: str(f.relative_to(asked.folder)) for f in robot_files(asked.folder)}
    files = [f for f, name in named.items() if asked.only in name]
    files = [f for f in files if not (asked.skip and re.search(asked.skip, named[f]))]
    rows: dict[str, dict] = {}
    with ThreadPoolExecutor(asked.jobs) as pool:
        for file, row in zip(files, pool.map(lambda f: run(f, asked.ik), files), strict=True):
            rows[str(file.relative_to(asked.folder))] = row
            print(*verdict(row), file, file=sys.stderr, flush=True)
    print(summary(asked.folder.name, rows))
    if asked.json is not None:
        asked.json.write_text(json.dumps(rows, indent=1))
    if asked.out is not None:
        asked.out.write_text(table(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
