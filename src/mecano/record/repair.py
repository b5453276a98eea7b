"""What a killed run left behind, made whole: the log closed, tables and plots written."""

from pathlib import Path

from mecano.record import products
from mecano.record.folder import DAMAGED_LOG, LOG, RESULT
from mecano.record.header import write_json
from mecano.record.recording import LOG_ENDS, Recording
from mecano.topics.log import NOT_CLOSED, close_log, is_being_written


def repair(recording: Recording) -> Recording:
    """Complete the folder of a recording that was cut off, and say so in its notes.

    A folder that is still being written to, or that cannot be written to, is left as it is.
    """
    folder, end = recording.folder, round(float(recording.times[-1]), 9)
    if is_being_written(folder / LOG):
        return recording.with_notes("it is still being recorded; this is what there is so far")
    result = recording.result or {"success": False, "cut_off_at_s": end}
    if not recording.cut_off:  # the run came to its end, its log did not
        result |= {LOG_ENDS: end}
    repaired = recording.with_notes(f"the recording was cut off at {end:.2f} s", result=result)
    try:
        _replace_log(recording, folder / LOG)
        write_json(folder / RESULT, result)
        products.write_products(repaired, folder)
    except OSError as error:
        return repaired.with_notes(f"the folder could not be repaired: {error.strerror or error}")
    return repaired.with_notes("the folder was repaired")


def _replace_log(recording: Recording, log: Path) -> None:
    """Put a closed log in the place of a broken one, in one step.

    One that was damaged, and not just cut off, is kept: there may be more in it behind the damage.
    """
    problem = recording.log_problem
    if problem is None:
        return
    closed = log.with_suffix(".repaired")
    close_log(log, closed)
    if recording.result is not None or not problem.endswith(NOT_CLOSED):
        log.replace(log.with_name(DAMAGED_LOG))
    closed.replace(log)
