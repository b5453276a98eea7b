"""Parts of others as triangles: read, measured, hulled, simplified, written, made into a scene.

Files have no unit. What is read is taken as metres; a part drawn in millimetres needs
`scaled(0.001)`. Triangles go counter-clockwise seen from outside.
"""

from mecano.world.meshes.distance import largest_distance as largest_distance
from mecano.world.meshes.files import FORMATS as FORMATS
from mecano.world.meshes.files import read as read
from mecano.world.meshes.files import write as write
from mecano.world.meshes.mesh import MassProperties as MassProperties
from mecano.world.meshes.mesh import Mesh as Mesh
from mecano.world.meshes.mesh import joined as joined
from mecano.world.meshes.mesh import normals_of as normals_of
from mecano.world.meshes.scenes import scene_files as scene_files
from mecano.world.meshes.scenes import write_scene as write_scene
from mecano.world.meshes.shapes import FITS as FITS
from mecano.world.meshes.shapes import Shape as Shape
from mecano.world.meshes.shapes import fit as fit
from mecano.world.meshes.simplifying import FEWEST as FEWEST
from mecano.world.meshes.simplifying import simplify as simplify
