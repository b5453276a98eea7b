"""Reads links and their shapes; everything odd about them becomes a finding."""

import os

import numpy as np

from mecano.importing.files import Element
from mecano.importing.findings import Findings
from mecano.importing.packages import Packages
from mecano.importing.urdf_model import GEOMETRY_KINDS, Geometry, Inertial, Link, Shape
from mecano.importing.urdf_numbers import MISSING, NumberReader, did_you_mean


class LinkReader(NumberReader):
    """Reads the links of one file."""

    def __init__(self, packages: Packages, findings: Findings) -> None:
        super().__init__(findings)
        self._packages = packages
        self.materials: dict[str, tuple[float, float, float, float]] = {}
        """Colours by the name of the material."""
        self._guessed: set[str] = set()
        """Packages of which meshes were found elsewhere; one finding for each is enough."""

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

    def _inertial(self, element: Element, *, owner: str) -> Inertial:
        """Return mass and inertia; a mass that is missing or no number is 0."""
        mass_element, inertia_element = element.first("mass"), element.first("inertia")
        where = f"{owner} ({element.place})"
        if mass_element is None or "value" not in mass_element.attributes:
            self.findings.error(
                MISSING, where, 'has an <inertial> without <mass value="..."/>; add it in kg'
            )
            mass = 0.0
        else:
            mass = self.number(mass_element, "value", 0.0, owner=owner) or 0.0
        inertia = np.zeros((3, 3))
        if inertia_element is None:
            self.findings.error(MISSING, where, "has an <inertial> without <inertia>; add it")
        else:
            for row, column, name in (
                (0, 0, "ixx"), (0, 1, "ixy"), (0, 2, "ixz"), (1, 1, "iyy"), (1, 2, "iyz"),
                (2, 2, "izz"),
            ):  # fmt: skip
                value = self.number(inertia_element, name, 0.0, owner=owner)
                inertia[row, column] = inertia[column, row] = value
                if row == column and name not in inertia_element.attributes:
                    self.findings.error(
                        MISSING, f"{owner} ({inertia_element.place})",
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
                f"{did_you_mean(tag, GEOMETRY_KINDS)}",
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
                self.findings.error(MISSING, where, f"<{kind}> has no {attribute}; add it in m")
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
            self.findings.error(MISSING, where, "<mesh> has no filename")
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
