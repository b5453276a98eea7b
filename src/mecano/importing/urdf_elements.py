"""Reads links, joints and shapes of a URDF; everything odd about them becomes a finding."""

import math
import os
from difflib import get_close_matches
from typing import get_args

import numpy as np

from mecano.core.poses import Pose
from mecano.importing.files import Element
from mecano.importing.findings import Findings
from mecano.importing.packages import Packages
from mecano.importing.urdf_model import (
    GEOMETRY_KINDS,
    JOINT_KINDS,
    Geometry,
    Inertial,
    Joint,
    JointKind,
    Limit,
    Link,
    Mimic,
    Shape,
)

HUGE = 1e9
"""No number of a robot in SI units is larger; squares of larger ones would overflow."""
_MISSING = "attribute-missing"


class ElementReader:
    """Reads the elements of one file."""

    def __init__(self, packages: Packages, findings: Findings) -> None:
        self._packages = packages
        self.findings = findings
        self.materials: dict[str, tuple[float, float, float, float]] = {}
        self._guessed: set[str] = set()
        """Packages of which meshes were found elsewhere; one finding for each is enough."""

    # --- numbers ------------------------------------------------------------------------------

    def numbers(
        self, element: Element, attribute: str, count: int, default: tuple[float, ...] | None, *,
        owner: str,
    ) -> tuple[float, ...] | None:  # fmt: skip
        """Return the numbers of an attribute, or the default with a finding."""
        text = element.attributes.get(attribute)
        if text is None:
            return default
        where = f"{owner} ({element.place})"
        name = f"<{element.tag}> {attribute}"
        words = text.split()
        try:
            values = tuple(float(word) for word in words)
        except ValueError:
            hint = "; write decimals with a point" if "," in text else ""
            self.findings.error(
                "number-invalid", where,
                f"{name}={_short(text)} is not {_count(count)}{hint}; {_taken(default)}",
            )  # fmt: skip
            return default
        if len(values) != count:
            self.findings.error(
                "number-count", where,
                f"{name}={_short(text)} has {len(values)} numbers, must have {count}; "
                f"{_taken(default)}",
            )  # fmt: skip
            return default
        if not all(math.isfinite(value) for value in values):
            self.findings.error(
                "number-nonfinite", where,
                f"{name}={_short(text)} is not finite; {_taken(default)}",
            )  # fmt: skip
            return default
        if any(abs(value) > HUGE for value in values):
            self.findings.error(
                "number-huge", where,
                f"{name}={_short(text)} is larger than {HUGE:g}; use SI units; {_taken(default)}",
            )  # fmt: skip
            return default
        return values

    def number(
        self, element: Element, attribute: str, default: float | None, *, owner: str
    ) -> float | None:
        """Return the number of an attribute, or the default."""
        fallback = None if default is None else (default,)
        values = self.numbers(element, attribute, 1, fallback, owner=owner)
        return None if values is None else values[0]

    def origin(self, element: Element, *, owner: str) -> Pose:
        """Return the pose of an element's <origin>; the identity without one."""
        origin = element.first("origin")
        if origin is None:
            return Pose()
        xyz = self.numbers(origin, "xyz", 3, (0.0, 0.0, 0.0), owner=owner)
        rpy = self.numbers(origin, "rpy", 3, (0.0, 0.0, 0.0), owner=owner)
        assert xyz is not None
        assert rpy is not None
        if max(map(abs, rpy)) > 2 * math.pi + 0.01:
            self.findings.warn(
                "angle-degrees", f"{owner} ({origin.place})",
                f"rpy={_short(origin.attributes['rpy'])} has an angle beyond a full turn "
                "(6.283 rad); URDF angles are radians, these look like degrees",
            )  # fmt: skip
        return Pose.from_xyz_rpy(xyz, rpy)

    # --- links --------------------------------------------------------------------------------

    def link(self, element: Element) -> Link:
        """Return a link."""
        name = element.attributes.get("name", "")
        owner = f"link {name}"
        inertials = element.all("inertial")
        if len(inertials) > 1:
            self.findings.error(
                "inertial-duplicate", f"{owner} ({inertials[1].place})",
                f"has {len(inertials)} <inertial> elements; the first is used, remove the others",
            )  # fmt: skip
        visuals = (self.shape(each, owner=owner) for each in element.all("visual"))
        collisions = (self.shape(each, owner=owner) for each in element.all("collision"))
        return Link(
            name=name,
            inertial=self._inertial(inertials[0], owner=owner) if inertials else None,
            visuals=tuple(shape for shape in visuals if shape is not None),
            collisions=tuple(shape for shape in collisions if shape is not None),
            line=element.line,
        )

    def _inertial(self, element: Element, *, owner: str) -> Inertial | None:
        mass_element, inertia_element = element.first("mass"), element.first("inertia")
        where = f"{owner} ({element.place})"
        if mass_element is None or "value" not in mass_element.attributes:
            self.findings.error(
                _MISSING, where, 'has an <inertial> without <mass value="..."/>; add it in kg'
            )
            return None
        mass = self.number(mass_element, "value", None, owner=owner)
        if mass is None:
            return None
        inertia = np.zeros((3, 3))
        if inertia_element is None:
            self.findings.error(_MISSING, where, "has an <inertial> without <inertia>; add it")
        else:
            for row, column, name in (
                (0, 0, "ixx"), (0, 1, "ixy"), (0, 2, "ixz"), (1, 1, "iyy"), (1, 2, "iyz"),
                (2, 2, "izz"),
            ):  # fmt: skip
                value = self.number(inertia_element, name, 0.0, owner=owner)
                inertia[row, column] = inertia[column, row] = value
                if row == column and name not in inertia_element.attributes:
                    self.findings.error(
                        _MISSING, f"{owner} ({inertia_element.place})",
                        f"<inertia> has no {name}; add it in kg m2",
                    )  # fmt: skip
        inertia.setflags(write=False)
        return Inertial(
            mass=mass, origin=self.origin(element, owner=owner), inertia=inertia, line=element.line
        )

    def shape(self, element: Element, *, owner: str) -> Shape | None:
        """Return a visual or collision element; None if it has no usable geometry."""
        geometry_element = element.first("geometry")
        where = f"{owner} ({element.place})"
        if geometry_element is None or not geometry_element.children:
            self.findings.error(
                "geometry-missing", where,
                f"<{element.tag}> has no <geometry> with one of {', '.join(GEOMETRY_KINDS)}",
            )  # fmt: skip
            return None
        inside = next(
            (each for each in geometry_element.children if each.tag in GEOMETRY_KINDS), None
        )
        if inside is None:
            tag = geometry_element.children[0].tag
            self.findings.error(
                "geometry-unknown", where,
                f"<{tag}> is no geometry of URDF; allowed: {', '.join(GEOMETRY_KINDS)}"
                f"{_did_you_mean(tag, GEOMETRY_KINDS)}",
            )  # fmt: skip
            return None
        geometry = self._geometry(inside, owner=owner)
        if geometry is None:
            return None
        material = element.first("material")
        return Shape(
            geometry=geometry,
            origin=self.origin(element, owner=owner),
            rgba=None if material is None else self.colour(material, owner=owner),
            name=element.attributes.get("name", ""),
            line=element.line,
        )

    def _geometry(self, element: Element, *, owner: str) -> Geometry | None:
        kind = element.tag
        where = f"{owner} ({element.place})"
        if kind == "mesh":
            return self._mesh(element, owner=owner)
        attributes = {"box": ("size",), "sphere": ("radius",)}.get(kind, ("radius", "length"))
        sizes: list[float] = []
        for attribute in attributes:
            if attribute not in element.attributes:
                self.findings.error(_MISSING, where, f"<{kind}> has no {attribute}; add it in m")
                return None
            count = 3 if attribute == "size" else 1
            values = self.numbers(element, attribute, count, None, owner=owner)
            if values is None:
                return None
            sizes += values
        if min(sizes) <= 0.0:
            self.findings.error(
                "geometry-size", where,
                f"<{kind}> has the size {', '.join(f'{size:g}' for size in sizes)} m; every size "
                "must be above zero; the shape is left out",
            )  # fmt: skip
            return None
        assert kind in ("box", "sphere", "cylinder", "capsule")
        return Geometry(kind=kind, size=tuple(sizes), line=element.line)

    def _mesh(self, element: Element, *, owner: str) -> Geometry | None:
        where = f"{owner} ({element.place})"
        reference = element.attributes.get("filename", "").strip()
        if not reference:
            self.findings.error(_MISSING, where, "<mesh> has no filename")
            return None
        found = self._packages.resolve(reference, start=element.file.resolve().parent)
        code = "package-path" if "://" in reference else "mesh-missing"
        if found.file is None:
            looked = f"; looked in {_listed(found.looked)}" if found.looked else ""
            hint = f"; {found.hint}" if found.hint else ""
            advice = (
                "name the package's folder with --package"
                if "://" in reference
                else ("correct the path")
            )
            self.findings.error(
                code, where, f"mesh '{reference}' is not there{hint}{looked}; {advice}"
            )
        elif found.guessed and (package := _package(reference)) not in self._guessed:
            self._guessed.add(package)
            self.findings.warn(
                code, where,
                f"mesh '{reference}' is not where it says; took {_near(found.file, element)}, "
                f"and so for all others of {package}. Correct the reference, or name the "
                "package's folder with --package",
            )  # fmt: skip
        elif found.outside:
            self.findings.warn(
                "path-outside", where,
                f"mesh '{reference}' lies outside the robot's folder {self._packages.home}; "
                "it will be missing when the folder is moved",
            )  # fmt: skip
        scale = self.numbers(element, "scale", 3, (1.0, 1.0, 1.0), owner=owner)
        assert scale is not None
        if min(map(abs, scale)) == 0.0:
            self.findings.error(
                "mesh-scale", where, f"scale {scale} has a zero; 1 1 1 was taken instead"
            )
            scale = (1.0, 1.0, 1.0)
        return Geometry(
            kind="mesh", file=found.file, reference=reference, scale=(scale[0], scale[1], scale[2]),
            line=element.line,
        )  # fmt: skip

    def colour(self, material: Element, *, owner: str) -> tuple[float, float, float, float] | None:
        """Return the colour of a material, given here or by its name."""
        colour = material.first("color")
        if colour is None:
            return self.materials.get(material.attributes.get("name", ""))
        rgba = self.numbers(colour, "rgba", 4, (0.5, 0.5, 0.5, 1.0), owner=owner)
        assert rgba is not None
        if min(rgba) < 0.0 or max(rgba) > 1.0:
            self.findings.warn(
                "colour-range", f"{owner} ({colour.place})",
                f"rgba {' '.join(f'{value:g}' for value in rgba)} must lie in 0 to 1; clipped",
            )  # fmt: skip
        red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in rgba)
        return red, green, blue, alpha

    # --- joints -------------------------------------------------------------------------------

    def joint(self, element: Element) -> Joint | None:
        """Return a joint; None if it has no parent or child."""
        name = element.attributes.get("name", "")
        owner = f"joint {name}"
        where = f"{owner} ({element.place})"
        ends: list[str] = []
        for tag in ("parent", "child"):
            end = element.first(tag)
            link = "" if end is None else end.attributes.get("link", "")
            if not link:
                self.findings.error(
                    _MISSING, where, f'has no <{tag} link="..."/>, so it connects nothing; add it'
                )
                return None
            ends.append(link)
        kind = self._kind(element, where)
        dynamics = element.first("dynamics")
        return Joint(
            name=name,
            kind=kind,
            parent=ends[0],
            child=ends[1],
            origin=self.origin(element, owner=owner),
            axis=self._axis(element, kind, owner=owner),
            limit=self._limit(element, owner=owner),
            mimic=self._mimic(element, owner=owner),
            damping=self._dynamic(dynamics, "damping", owner=owner),
            friction=self._dynamic(dynamics, "friction", owner=owner),
            line=element.line,
        )

    def _kind(self, element: Element, where: str) -> JointKind:
        kind = element.attributes.get("type", "")
        if kind in get_args(JointKind):
            return kind  # pyright: ignore[reportReturnType]
        problem = f"has the type '{kind}'" if kind else "has no type"
        self.findings.error(
            "joint-type", where,
            f"{problem}; allowed: {', '.join(JOINT_KINDS)}"
            f"{_did_you_mean(kind, JOINT_KINDS)}. It was taken as fixed",
        )  # fmt: skip
        return "fixed"

    def _axis(self, element: Element, kind: str, *, owner: str) -> np.ndarray:
        axis = element.first("axis")
        default = (1.0, 0.0, 0.0)  # the specification's own
        if axis is None:
            values: tuple[float, ...] = default
            if kind in ("revolute", "continuous", "prismatic"):
                self.findings.note(
                    "axis-missing", f"{owner} ({element.place})",
                    "has no <axis>; URDF takes 1 0 0 then. Write it down if that is meant",
                )  # fmt: skip
        else:
            given = self.numbers(axis, "xyz", 3, default, owner=owner)
            assert given is not None
            values = given
        length = math.hypot(*values)
        where = f"{owner} ({(axis or element).place})"
        moves = kind not in ("fixed", "floating")
        if length < 1e-9:
            if moves:
                self.findings.error(
                    "axis-zero", where,
                    "axis 0 0 0 has no direction; 1 0 0 was taken. Write the axis it turns about",
                )  # fmt: skip
            values, length = default, 1.0
        elif abs(length - 1.0) > 1e-3 and moves:
            self.findings.warn(
                "axis-not-unit", where,
                f"axis {' '.join(f'{value:g}' for value in values)} has length {length:.4g}, must "
                "be 1; it was normalised",
            )  # fmt: skip
        unit = np.array(values) / length
        unit.setflags(write=False)
        return unit

    def _limit(self, element: Element, *, owner: str) -> Limit | None:
        limit = element.first("limit")
        if limit is None:
            return None
        return Limit(
            lower=self._bound(limit, "lower", owner=owner),
            upper=self._bound(limit, "upper", owner=owner),
            effort=self._bound(limit, "effort", owner=owner),
            velocity=self._bound(limit, "velocity", owner=owner),
        )

    def _bound(self, limit: Element, attribute: str, *, owner: str) -> float | None:
        """Return one number of a <limit>; a huge one is no limit."""
        try:
            value = float(limit.attributes.get(attribute, "0"))
        except ValueError:
            value = 0.0
        if abs(value) > HUGE and not math.isnan(value):
            self.findings.note(
                "limit-huge", f"{owner} ({limit.place})",
                f"{attribute} {value:g} is no limit; leave it out, or make the joint continuous",
            )  # fmt: skip
            return None
        return self.number(limit, attribute, None, owner=owner)

    def _mimic(self, element: Element, *, owner: str) -> Mimic | None:
        mimic = element.first("mimic")
        if mimic is None:
            return None
        joint = mimic.attributes.get("joint", "")
        if not joint:
            self.findings.error(
                _MISSING, f"{owner} ({mimic.place})", "<mimic> names no joint; add joint=..."
            )
            return None
        multiplier = self.number(mimic, "multiplier", 1.0, owner=owner)
        offset = self.number(mimic, "offset", 0.0, owner=owner)
        assert multiplier is not None
        assert offset is not None
        return Mimic(joint=joint, multiplier=multiplier, offset=offset)

    def _dynamic(self, dynamics: Element | None, attribute: str, *, owner: str) -> float:
        if dynamics is None:
            return 0.0
        value = self.number(dynamics, attribute, 0.0, owner=owner)
        assert value is not None
        if value < 0.0:
            self.findings.error(
                "damping-negative", f"{owner} ({dynamics.place})",
                f"{attribute} {value:g} would add energy; must be 0 or more; 0 was taken",
            )  # fmt: skip
        return max(value, 0.0)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return f"'{text[:57]}...'" if len(text) > 60 else f"'{text}'"


def _count(count: int) -> str:
    return "a number" if count == 1 else f"{count} numbers"


def _taken(default: tuple[float, ...] | None) -> str:
    if default is None:
        return "it is left out"
    return f"{' '.join(f'{value:g}' for value in default)} was taken"


def _package(reference: str) -> str:
    """Return "package://name" of a reference, or its folder."""
    scheme, _, rest = reference.partition("://")
    return f"{scheme}://{rest.lstrip('/').split('/')[0]}" if _ else reference.rpartition("/")[0]


def _listed(places: tuple[str, ...]) -> str:
    shown = ", ".join(places[:4])
    return f"{shown} and {len(places) - 4} more" if len(places) > 4 else shown


def _near(file: object, element: Element) -> str:
    """Return a path as seen from the file of an element, where that is shorter."""
    relative = os.path.relpath(str(file), element.file.resolve().parent)
    return relative if len(relative) < len(str(file)) else str(file)


def _did_you_mean(word: str, known: tuple[str, ...]) -> str:
    guess = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return f"; did you mean '{guess[0]}'?" if guess else ""
