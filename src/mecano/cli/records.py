"""`mecano plot` and `mecano rerun`: what can be done with the record of a run."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.remarks import warn

if TYPE_CHECKING:
    from mecano.record.comparison import Twin
    from mecano.record.recording import Recording

Folder = Annotated[Path, typer.Argument(help="Run folder, as `mecano run` makes it.")]


def plot(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option(help="Write to this folder, not to the run folder.")
    ] = None,
) -> None:
    """Write the table and the plots of a recorded run once more; print each joint's errors.

    Example: mecano plot runs/2026-01-31_120000_move-cube_seed0 --out figures
    """
    from mecano.cli.progress import progress
    from mecano.core.errors import InvalidInput
    from mecano.record.products import write_products
    from mecano.record.tables import error_lines, joint_errors

    with progress("drawing"):
        recording = open_recording(folder)
        target = folder if out is None else out
        try:
            target.mkdir(parents=True, exist_ok=True)
            files = write_products(recording, target)
        except OSError as error:
            raise InvalidInput(f"cannot write to {target}: {error.strerror}") from None
    for line in (*files, *error_lines(joint_errors(recording))):
        print(line)


def open_recording(folder: Path) -> "Recording":
    """Open a recording and say on stderr what is missing or was repaired."""
    from mecano.record.recording import Recording

    recording = Recording.open(folder)
    for note in recording.notes:
        warn(f"{folder}: {note}")
    return recording


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a run repeated."""

    repeated: bool
    sentence: str


def rerun(folder: Folder, as_json: AsJson = False) -> None:
    """Repeat a recorded run and compare it bit for bit. Exit code 0 if it is the same, 1 if not.

    Example: mecano rerun runs/2026-01-31_120000_move-cube_seed0
    """
    from mecano.record.header import require_repeatable

    recording = open_recording(folder)
    require_repeatable(recording.header, folder)
    remarks = _remarks(recording.header)
    verdict = _repeat(recording)
    if as_json:
        answer = {"repeated": verdict.repeated, "sentence": verdict.sentence, "remarks": remarks}
        print(json.dumps(answer))
    else:
        for remark in remarks:
            warn(remark)
        print(verdict.sentence)
    if not verdict.repeated:
        raise typer.Exit(1)


def _remarks(header: dict[str, Any]) -> list[str]:
    """Return what is different today and may make the run differ."""
    from mecano.core.machine import CHOICE, blas_kernel, machine
    from mecano.record.header import digest, versions

    remarks = []
    for library, now in versions().items():
        then = header.get("versions", {}).get(library)
        if then != now:
            remarks.append(f"it was recorded with {library} {then}, and this is {now}")
    if header.get("machine") != machine():
        remarks.append(f"it was recorded on {header.get('machine')}, and this is {machine()}")
    kernel = header.get("blas", blas_kernel())
    if kernel != blas_kernel():
        remarks.append(
            f"its BLAS had the kernel {kernel}, and this one has {blas_kernel()}; "
            f"set {CHOICE}={kernel} where the processor can"
        )
    for file, then in header.get("files", {}).items():
        if digest(Path(file)) != then:
            remarks.append(f"{file} is not what it was when the run was recorded")
    return remarks


def _repeat(recording: "Recording") -> Verdict:
    """Run it again with a twin that compares."""
    from mecano.cli.progress import progress
    from mecano.core.errors import MecanoError
    from mecano.record.comparison import EndOfRecording, Twin
    from mecano.runs.run import execute
    from mecano.runs.spec_files import spec_of_header

    spec = spec_of_header(recording.header)
    experiment = spec.find()
    twins: list[Twin] = []
    state_hash, error = None, None
    with progress(f"{experiment.name}: again"):
        try:
            state_hash = execute(
                spec, experiment, watch=lambda robot: twins.append(Twin(robot, recording))
            ).state_hash
        except EndOfRecording:
            error = None
        except MecanoError as raised:
            error = str(raised)
    if not twins:
        return Verdict(repeated=False, sentence=f"it could not be started again: {error}")
    return judge(recording, twins[0], state_hash, error)


def judge(
    recording: "Recording", twin: "Twin", state_hash: str | None, error: str | None
) -> Verdict:
    """Say whether the repeated run was the recorded one, and if not, where it first differs."""
    result, end = recording.result or {}, float(recording.times[-1])
    if twin.difference is not None:
        return Verdict(
            repeated=False,
            sentence=f"it differs from {twin.difference.time:.3f} s on: {twin.difference.how}",
        )
    if not twin.complete:
        met = float(recording.times[twin.ticks - 1])
        why = f" ({error})" if error else ""
        return Verdict(
            repeated=False,
            sentence=f"it ended at {met:.3f} s{why}, the recording goes on to {end:.3f} s",
        )
    if recording.cut_off:
        text = f"repeated bit for bit up to {end:.3f} s, where the recording was cut off"
        return Verdict(repeated=True, sentence=text)
    if error != result.get("error"):
        text = f"the ticks are the same, but it ended with {error!r}, not {result.get('error')!r}"
        return Verdict(repeated=False, sentence=text)
    if twin.beyond:
        return Verdict(
            repeated=False,
            sentence=f"it goes on for {twin.beyond} ticks after the recording's end, {end:.3f} s",
        )
    if error is None and state_hash != result.get("state_hash"):
        text = f"the ticks are the same, but the state hash is {state_hash}, "
        return Verdict(repeated=False, sentence=f"{text}not {result.get('state_hash')}")
    return Verdict(
        repeated=True, sentence=f"repeated bit for bit: state hash {result.get('state_hash')}"
    )
