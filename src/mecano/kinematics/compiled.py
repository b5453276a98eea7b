"""Moved to core."""

from mecano.core.compiled import compiled as compiled
