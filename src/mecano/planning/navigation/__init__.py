"""Navigation on the floor: footprints, costmaps, global and local planners. No simulator here."""
