"""Meshes of others: read, measured, simplified, split, merged, written, made into a scene.

Files have no unit (except DAE). What is read is taken as metres; a part drawn in millimetres needs
`scaled(0.001)`. Triangles go counter-clockwise seen from outside.
"""

from mecano.world.meshes.checks import MAX_FILE_BYTES as MAX_FILE_BYTES
from mecano.world.meshes.components import merged as merged
from mecano.world.meshes.components import split as split
from mecano.world.meshes.decomposing import decompose as decompose
from mecano.world.meshes.distance import largest_distance as largest_distance
from mecano.world.meshes.mesh import MassProperties as MassProperties
from mecano.world.meshes.mesh import Mesh as Mesh
from mecano.world.meshes.mesh import joined as joined
from mecano.world.meshes.mesh import mass_properties as mass_properties
from mecano.world.meshes.mesh import normals_of as normals_of
from mecano.world.meshes.reading import READABLE as READABLE
from mecano.world.meshes.reading import MeshFile as MeshFile
from mecano.world.meshes.reading import load as load
from mecano.world.meshes.reading import read as read
from mecano.world.meshes.scenes import ScenePart as ScenePart
from mecano.world.meshes.scenes import part_files as part_files
from mecano.world.meshes.scenes import part_name as part_name
from mecano.world.meshes.scenes import write_parts as write_parts
from mecano.world.meshes.scenes import write_scene as write_scene
from mecano.world.meshes.shapes import FITS as FITS
from mecano.world.meshes.shapes import Shape as Shape
from mecano.world.meshes.shapes import fit as fit
from mecano.world.meshes.simplifying import MIN_TRIANGLES as MIN_TRIANGLES
from mecano.world.meshes.simplifying import simplify as simplify
from mecano.world.meshes.writing import WRITABLE as WRITABLE
from mecano.world.meshes.writing import write as write
