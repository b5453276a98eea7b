"""MJCF files put together of others by `<attach>`, made into one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco

from mecano.importing.findings import Findings
from mecano.importing.mjcf_text import Element

Include = Callable[[str, Path, tuple[Path, ...]], Element]
"""Reads a file that another one names, with all that it includes, or refuses it."""


def flattened(xml: Element, file: Path, include: Include, findings: Findings) -> Element:
    """Return the model with everything that it attaches; one that attaches nothing as it is.

    Args:
        xml: The file with what it includes.
        file: The file itself, which the engine reads again.
        include: Called for every attached model first, so that no file is read that may not be.
        findings: Get why the engine refuses it.
    """
    if not any(True for _ in _models(xml)):
        return xml
    _read_all(xml, file, include, findings, (file.resolve(),))
    try:
        spec = mujoco.MjSpec.from_file(str(file))
        spec.compile()
        return ET.fromstring(spec.to_xml())
    except (ValueError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())
        findings.error(
            "model-refused", file.name, f"the physics engine refuses the model: {reason}"
        )
        raise findings.unreadable() from None


def _read_all(
    xml: Element, file: Path, include: Include, findings: Findings, above: tuple[Path, ...]
) -> None:
    for each in _models(xml):
        name = each.get("file", "")
        attached = include(name, file, above)
        if attached.find("actuator/dcmotor") is not None:
            findings.error(
                "model-refused", f"{name} ({file.name})",
                "is attached and has <dcmotor> actuators, which the physics engine cannot write "
                "into one file; import the attached models one by one",
            )  # fmt: skip
            raise findings.unreadable()
        place = (file.parent / name).resolve()
        _read_all(attached, place, include, findings, (*above, place))


def _models(xml: Element) -> Iterator[Element]:
    """Yield the models that a file names to attach."""
    for section in xml.findall("asset"):
        yield from section.findall("model")
