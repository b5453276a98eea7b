"""What is made from a recording for people: the table and the plots."""

from pathlib import Path

from mecano.record.folder import JOINTS_PLOT, JOINTS_TABLE, TOOL_PLOT
from mecano.record.plots import plot_joints, plot_tool_path
from mecano.record.recording import Recording
from mecano.record.tables import write_joints_table


def write_products(recording: Recording, folder: Path) -> list[Path]:
    """Write the table and the plots of a recording to a folder; return the files.

    A robot without joints has no table, and one without an arm has no path of the tool.
    """
    made = []
    if any(columns.names for columns in recording.joints.values()):
        made += [folder / JOINTS_TABLE, folder / JOINTS_PLOT]
        write_joints_table(recording, made[0])
        plot_joints(recording, made[1])
    if recording.tool:
        made.append(folder / TOOL_PLOT)
        plot_tool_path(recording, made[-1])
    return made
