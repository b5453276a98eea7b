"""The five parts of a robot's navigation and their topics, from what is really joined (M-48)."""

from mecano.core.errors import InvalidInput
from mecano.lab.navigating import LiveNavigation
from mecano.topics.graph import Edge, Graph, Node
from mecano.topics.navigation_table import navigation_topics
from mecano.topics.robot_tables import topics_of
from mecano.topics.tables import SCAN

SENSORS, DRIVE = "sensors", "base"
MAP, LOCALIZATION, COSTMAPS, PLANNER, CONTROLLER = (
    "map", "localization", "costmaps", "global planner", "local planner",
)  # fmt: skip


def navigation_graph(navigation: LiveNavigation) -> Graph:
    """Return the graph of a navigation that runs, under the names of the robot's own topics."""
    robot, navigator = navigation.robot, navigation.navigator
    names = {row.what: row.name for row in topics_of(robot.description)}
    names |= {row.what: row.name for row in navigation_topics(robot.description)}
    scans = _scan_topics(navigation, names)
    velocity = next((names[w] for w in ("free velocity", "velocity") if w in names), "")
    if not velocity:
        raise InvalidInput(f"{robot.name} has no topic that takes velocities")
    grid = navigation.grid
    known = "none: what scans see" if grid is None else f"{grid.width} x {grid.height} cells"
    nodes = [
        Node(SENSORS, ", ".join(robot.lidars) or ", ".join(robot.cameras) or "wheels only", 0),
        Node(MAP, known, 0),
        Node(LOCALIZATION, navigation.source.name, 1),
        Node(COSTMAPS, type(navigator.surroundings).__name__, 1),
        Node(PLANNER, type(navigator.planner).__name__, 2),
        Node(CONTROLLER, type(navigator.controller).__name__, 3),
        Node(DRIVE, robot.description.name, 4),
    ]
    odometry = names.get("odometry", "/odom")
    edges = [Edge(SENSORS, odometry, LOCALIZATION)]
    edges += [Edge(SENSORS, scan, COSTMAPS) for scan in scans]
    if navigation.source.name == "localization":
        edges += [Edge(SENSORS, scan, LOCALIZATION) for scan in scans]
        edges.append(Edge(MAP, "/map", LOCALIZATION))
    edges += [
        Edge(MAP, "/map", COSTMAPS),
        Edge(LOCALIZATION, "/tf map -> odom", COSTMAPS),
        Edge(COSTMAPS, names["costmap"], PLANNER),
        Edge(LOCALIZATION, "/tf map -> odom", PLANNER),
        Edge(PLANNER, names["plan"], CONTROLLER),
        Edge(CONTROLLER, velocity, DRIVE),
    ]
    title = f"navigation of {robot.name}: state on {names['navigation status']}"
    return Graph(title, tuple(nodes), tuple(edges))


def _scan_topics(navigation: LiveNavigation, names: dict[str, str]) -> list[str]:
    """Return the topics that the scans come from."""
    if navigation.scanner is None:
        return []
    if navigation.robot.lidars:
        return [names.get("whole scan", SCAN)]
    return [names.get("depth", SCAN)]
