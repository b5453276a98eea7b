"""What is made from a recording for people: the tables and the plots."""

from pathlib import Path

from mecano.record.cup_plots import plot_cups
from mecano.record.cup_tables import write_cups_table, write_events_table
from mecano.record.folder import (
    CUPS_PLOT,
    CUPS_TABLE,
    EVENTS_TABLE,
    JOINTS_PLOT,
    JOINTS_TABLE,
    TOOL_PLOT,
)
from mecano.record.plots import plot_joints, plot_tool_path
from mecano.record.recording import Recording
from mecano.record.tables import write_joints_table


def write_products(recording: Recording, folder: Path) -> list[Path]:
    """Write the tables and the plots of a recording to a folder; return the files.

    A robot without joints has no table of them, one without an arm has no path of the tool, and
    only one with cups has theirs.
    """
    made = []
    if any(columns.names for columns in recording.joints.values()):
        made += [folder / JOINTS_TABLE, folder / JOINTS_PLOT]
        write_joints_table(recording, made[0])
        plot_joints(recording, made[1])
    if recording.tool:
        made.append(folder / TOOL_PLOT)
        plot_tool_path(recording, made[-1])
    if recording.cups:
        tables = (folder / CUPS_TABLE, folder / EVENTS_TABLE, folder / CUPS_PLOT)
        made += tables
        write_cups_table(recording, tables[0])
        write_events_table(recording, tables[1])
        plot_cups(recording, tables[2])
    return made
