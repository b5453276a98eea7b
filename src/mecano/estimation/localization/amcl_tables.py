"""AMCL's parameters as ROS 1 and ROS 2 write them down: their names, their files."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName

WITHOUT_MEANING = {
    "gui_publish_rate": "every update returns the particles",
    "save_pose_rate": "poses are not kept from one run to the next",
    "transform_tolerance": "map_to_odom is returned, not sent with a time in the future",
    "tf_broadcast": "map_to_odom is returned, not sent",
    "use_map_topic": "the map is given when the filter is made",
    "first_map_only": "the map is given when the filter is made",
    "odom_frame_id": "frames are the caller's",
    "base_frame_id": "frames are the caller's",
    "global_frame_id": "frames are the caller's",
    "do_beamskip": "beams that hit what is not in the map are met by z_rand",
    "beam_skip_distance": "beams are not skipped",
    "beam_skip_threshold": "beams are not skipped",
    "beam_skip_error_threshold": "beams are not skipped",
}
"""Names of AMCL that `AmclSettings` keeps and that change nothing here, and why."""
IGNORED = {
    **dict.fromkeys(("scan_topic", "map_topic"), "log and map are given"),
    **dict.fromkeys(("use_sim_time", "bond_heartbeat_period"), "there is no node of ROS"),
    **dict.fromkeys(
        ("introspection_mode", "service_introspection_mode"), "there is no node of ROS"
    ),
    "allow_parameter_qos_overrides": "there is no node of ROS",
    "tf_prefix": "frames are the caller's",
    "restore_defaults": "every run begins with the defaults",
    "bag_scan_period": "scans have their own stamps",
    "always_reset_initial_pose": "poses are not kept from one run to the next",
    "force_update_after_initialpose": "the first scan always counts",
    "force_update_after_set_map": "the first scan always counts",
    "freespace_downsampling": "a global start draws from all free cells",
    "random_seed": "the seed is given when the filter is made",
    "initial_pose.z": "the map is flat",
}
"""Names of AMCL's nodes in ROS 1 and ROS 2 that are read, not kept, and why. Those that end in
`_service` and the settings `qos_overrides` are of that kind too."""
NESTED = ("initial_pose", "qos_overrides")
"""Names that have names below them, which mean nothing without them."""

ALIASES = {
    **{name: f"laser_{name}" for name in ("z_hit", "z_short", "z_max", "z_rand", "max_beams")},
    **{name: f"laser_{name}" for name in ("sigma_hit", "lambda_short", "likelihood_max_dist")},
    **{f"alpha{i}": f"odom_alpha{i}" for i in range(1, 6)},
    "robot_model_type": "odom_model_type",
    "initial_pose_yaw": "initial_pose_a",
    "initial_pose.x": "initial_pose_x",
    "initial_pose.y": "initial_pose_y",
    "initial_pose.yaw": "initial_pose_a",
    "pf_err": "kld_err",
    "pf_z": "kld_z",
}
"""Shorter names, as ROS 2 and papers have them."""
MODEL_ALIASES = {
    "differential": "diff-corrected",
    "omnidirectional": "omni-corrected",
    "nav2_amcl::DifferentialMotionModel": "diff-corrected",
    "nav2_amcl::OmniMotionModel": "omni-corrected",
}
"""ROS 2's names of motion models: it has the corrected ones only."""


@dataclass(frozen=True, kw_only=True)
class AmclTable:
    """A table written for AMCL, by the names of our settings."""

    values: dict[str, Any]
    """By the names of `AmclSettings`."""
    idle: dict[str, str]
    """What it says that changes nothing here, and why."""
    starts: bool
    """False if it says that no start shall be set."""

    @classmethod
    def read(
        cls, table: Mapping[str, Any] | str | Path, defaults: Mapping[str, Any]
    ) -> "AmclTable":
        """Understand a table.

        Args:
            table: Names and values, or a file of them; see `AmclSettings.from_table`.
            defaults: All settings there are; a value becomes of the same kind as its default.

        Raises:
            UnknownName: A name that AMCL does not have.
        """
        given = _read(Path(table)) if isinstance(table, str | Path) else _flat(dict(table))
        values: dict[str, Any] = {}
        ignored: dict[str, str] = {}
        starts = _truth_of("set_initial_pose", given.pop("set_initial_pose", True))
        for name, value in given.items():
            full = ALIASES.get(name, name)
            if full in defaults:
                values[full] = _value(value, defaults[full], name)
            elif (reason := _why_ignored(name)) is not None:
                ignored[name] = reason
            else:
                raise UnknownName("AMCL parameter", name, [*defaults, *ALIASES])
        if not starts:
            values |= dict.fromkeys(("initial_pose_x", "initial_pose_y", "initial_pose_a"))
        kept = {name: WITHOUT_MEANING[name] for name in values if name in WITHOUT_MEANING}
        return cls(values=values, idle=kept | ignored, starts=starts)

    def without_effect(self) -> list[str]:
        """Say what changes nothing here, a sentence for each reason."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.idle.items():
            reasons.setdefault(reason, []).append(name)
        return [
            f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no effect: {reason}"
            for reason, names in reasons.items()
        ]


def _why_ignored(name: str) -> str | None:
    """Say why a name of AMCL's nodes means nothing here; None if it is not one of them."""
    if name.startswith("qos_overrides.") or name.endswith("_service"):
        return "there is no node of ROS"
    return IGNORED.get(name)


def _truth_of(given: str, value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in ("true", "false", "1", "0"):
        raise InvalidInput(f"{given} is {value!r}, expected true or false")
    return word in ("true", "1")


def _value(value: Any, wanted: Any, given: str) -> Any:
    """Return a value as its setting wants it; text is read as the kind that is wanted.

    Args:
        value: Of the table.
        wanted: One of the kind that is wanted.
        given: What the table calls it, for messages.
    """
    if isinstance(value, str):
        value = value.strip().strip("\"'")
    if isinstance(wanted, str):
        return MODEL_ALIASES.get(str(value), str(value))
    if isinstance(wanted, bool):
        return _truth_of(given, value)
    if value is None or str(value).lower() in ("none", "null"):
        return None
    if isinstance(value, bool):
        raise InvalidInput(f"{given} is {value}, expected a number")
    number = finite_number(value, name=given)
    if not isinstance(wanted, int):
        return number
    if number != int(number):
        raise InvalidInput(f"{given} is {value}, expected a whole number")
    return int(number)


def _read(path: Path) -> dict[str, Any]:
    """Return names and values from a file, whatever sections they stand in."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read AMCL's parameters from {path}: {error}") from None
    if text.lstrip().startswith("<"):
        values = _from_launch(text, path)
    elif path.suffix == ".toml":
        values = _from_toml(text, path)
    elif path.suffix == ".json":
        values = _from_json(text, path)
    else:
        values = _from_yaml(text, path)
    if not values:
        raise InvalidInput(f"{path} holds no parameter; expected lines like 'min_particles: 500'")
    if not isinstance(values, dict):
        raise InvalidInput(
            f"{path} holds no names with values; expected lines like 'min_particles: 500'"
        )
    return _flat(_section(values) or values)


def _section(table: dict[str, Any]) -> dict[str, Any] | None:
    """Return what stands under a node's name `amcl`, in a file that has other nodes too."""
    for name, value in table.items():
        if isinstance(value, dict):
            found = value if str(name).split("/")[-1] == "amcl" else _section(value)
            if found is not None:
                return found
    return None


def _flat(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return names and values without sections; the parts of a pose keep its name before them."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{name}." if name in NESTED else before)
        else:
            flat[f"{before}{name}"] = value
    return flat


def _from_launch(text: str, path: Path) -> dict[str, Any]:
    """Return the parameters of amcl's node, or of all nodes if none is of amcl."""
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InvalidInput(f"{path} is not a launch file: {error}") from None
    arguments = {
        f"$(arg {arg.get('name')})": arg.get("value", arg.get("default", ""))
        for arg in root.iter("arg")
    }
    nodes = [node for node in root.iter("node") if "amcl" in (node.get("pkg"), node.get("type"))]
    values: dict[str, Any] = {}
    for part in [part for node in nodes or [root] for part in node.iter()]:
        if part.tag == "param":
            value = part.get("value", "")
            values[part.get("name", "")] = arguments.get(value, value)
        elif part.tag == "rosparam" and (part.text or "").strip():
            values |= _from_yaml(part.text or "", path)
    return values


def _from_yaml(text: str, path: Path) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe").load(text)
    except YAMLError as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"{path} is not YAML: {reason}") from None


def _from_toml(text: str, path: Path) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path} is not TOML: {error}") from None


def _from_json(text: str, path: Path) -> Any:
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{path} is not JSON: {error}") from None
