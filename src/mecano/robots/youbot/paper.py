"""What the youBot paper prints, as it is printed: nothing here is used unless it is asked for."""

from typing import Any

TRACKER: dict[str, Any] = {"gain": 1.0, "feed_forward": False}
"""Annex A, `center_velocity`: the error in m taken for m/s. Fields of `control.tracking.Tracker`;
without feed-forward the base lags behind by speed / gain."""
