"""A graph of parts and the topics between them, as Mermaid text and as an SVG drawing."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDE, HIGH, ACROSS, DOWN = 190, 44, 300, 92
"""Size of a box, and distance from one to the next [px]."""


@dataclass(frozen=True)
class Node:
    """A part: what does the work, and in which column of the drawing."""

    name: str
    what: str
    """What plays this part in this run, such as the name of a planner."""
    column: int


@dataclass(frozen=True)
class Edge:
    """A topic from one part to another."""

    source: str
    topic: str
    target: str


@dataclass(frozen=True)
class Graph:
    """Parts and topics."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def mermaid(self) -> str:
        """Return it as a Mermaid flowchart."""
        ids = {node.name: f"n{i}" for i, node in enumerate(self.nodes)}
        lines = ["flowchart LR"]
        lines += [f'    {ids[n.name]}["{n.name}<br/>{n.what}"]' for n in self.nodes]
        lines += [f'    {ids[e.source]} -- "{e.topic}" --> {ids[e.target]}' for e in self.edges]
        return "\n".join(lines) + "\n"

    def svg(self) -> str:
        """Return it as a drawing: columns from left to right, an arrow with its topics."""
        places = self._places()
        width = (max(node.column for node in self.nodes) + 1) * ACROSS
        height = max(y for _, y in places.values()) + DOWN
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
            'markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#495057"/></marker>'
            "</defs>",
            f'<text x="8" y="18" font-size="15">{escape(self.title)}</text>',
        ]
        for pair in dict.fromkeys((edge.source, edge.target) for edge in self.edges):
            topics = [e.topic for e in self.edges if (e.source, e.target) == pair]
            parts.append(_arrow(places[pair[0]], places[pair[1]], topics))
        parts += [_box(node, *places[node.name]) for node in self.nodes]
        return "\n".join([*parts, "</svg>"]) + "\n"

    def _places(self) -> dict[str, tuple[int, int]]:
        """Return the left upper corner of every box [px]."""
        rows: dict[int, int] = {}
        places = {}
        for node in self.nodes:
            row = rows.get(node.column, 0)
            rows[node.column] = row + 1
            places[node.name] = (8 + node.column * ACROSS, 40 + row * DOWN)
        return places


def _box(node: Node, x: int, y: int) -> str:
    middle = x + WIDE // 2
    return (
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="6" fill="#e7f5ff" '
        f'stroke="#1971c2"/><text x="{middle}" y="{y + 18}" text-anchor="middle" '
        f'font-weight="bold">{escape(node.name)}</text><text x="{middle}" y="{y + 35}" '
        f'text-anchor="middle" fill="#495057">{escape(node.what)}</text>'
    )


def _arrow(start: tuple[int, int], end: tuple[int, int], topics: Sequence[str]) -> str:
    """Return a line from the side of one box to that of another, with the topics beside it."""
    forward = end[0] > start[0]
    x1, y1 = start[0] + (WIDE if forward else WIDE // 2), start[1] + HIGH // 2
    x2, y2 = end[0] + (0 if forward else WIDE // 2), end[1] + HIGH // 2
    if not forward:
        down = end[1] > start[1]
        y1, y2 = start[1] + (HIGH if down else 0), end[1] + (0 if down else HIGH)
    x, y = x1 + 0.5 * (x2 - x1) + 4, y1 + 0.5 * (y2 - y1) - 4
    texts = "".join(
        f'<text x="{x:.0f}" y="{y - 13 * i:.0f}" text-anchor="middle" fill="#2b8a3e">'
        f"{escape(topic)}</text>"
        for i, topic in enumerate(topics)
    )
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#495057" '
        f'marker-end="url(#tip)"/>{texts}'
    )
