"""MuJoCo: robots and scene in one model, stepping, contacts, snapshots."""

from mecano.core.errors import WorldBroken as WorldBroken
from mecano.world.assembly import Placement as Placement
from mecano.world.assembly import assemble as assemble
from mecano.world.physics import PhysicsSettings as PhysicsSettings
from mecano.world.world import Contact as Contact
from mecano.world.world import Snapshot as Snapshot
from mecano.world.world import World as World
