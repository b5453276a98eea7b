"""The README of an imported robot: where it comes from, what was guessed, what was wrong."""

from mecano.importing.contacts import Contacts
from mecano.importing.describe import Described
from mecano.importing.findings import Finding


def readme_text(robot: Described, contacts: Contacts, findings: tuple[Finding, ...]) -> str:
    """Return the text of `README.md`."""
    structure = robot.structure
    lines = [
        f"# {robot.title}",
        "",
        f"Imported by `mecano import` from `{robot.draft.file.name}`. `description.py` says what "
        "the robot is; every guess in it is marked and can be corrected there. `model.xml` is its "
        "model, with full digits; `assets/` holds its meshes.",
        "",
        f"It is {'free: ' if structure.free else ''}{structure.why_free}. It begins in this "
        f"posture: {contacts.reason}.",
        "",
    ]
    if structure.chains:
        lines += [
            "| chain | guessed | joints | tool |",
            "|---|---|---|---|",
            *(
                f"| `{each.name}` | {each.kind}: {each.reason} | {', '.join(each.joints)} | "
                f"{each.tool.reason} |"
                for each in structure.chains
            ),
            "",
        ]
    for chain, gripper in structure.grippers.items():
        lines += [
            f"Gripper of `{chain}`: {gripper.reason}; opens to {1000 * gripper.width_open:.0f} mm.",
            "",
        ]
    for chain, hand in structure.hands.items():
        fingers = ", ".join(f"{each.name} ({len(each.joints)})" for each in hand.fingers)
        lines += [f"Hand of `{chain}`: {hand.reason}. Fingers with joints: {fingers}.", ""]
    if structure.base is not None:
        wheels = ", ".join(wheel.joint for wheel in structure.base.wheels)
        lines += [f"Base: {structure.base.kind}, {structure.base.reason}: {wheels}.", ""]
        moved = [f"{each.message}." for each in findings if each.code == "origin-moved"]
        lines += [moved[0][0].upper() + moved[0][1:], ""] if moved else []
    guessed = [drive for drive in robot.drives.values() if drive.guessed]
    if guessed:
        lines += [
            "Motors without numbers in the file: "
            + ", ".join(f"{d.joint} ({d.guessed})" for d in guessed)
            + ".",
            "",
        ]
    lines += ["## Findings", ""]
    lines += [f"- {each.severity}: {each}" for each in findings] or ["None."]
    return "\n".join([*lines, ""])
