"""The local planners by name."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.named import Named
from mecano.planning.navigation.contract import LocalPlanner, VelocityLimits
from mecano.planning.navigation.dwa import DWA, DWAParameters
from mecano.planning.navigation.mppi import MPPI, MPPIParameters
from mecano.planning.navigation.pursuit import Pursuit, PursuitParameters

Maker = tuple[Callable[[VelocityLimits, Any], LocalPlanner], type]

LOCAL_PLANNERS: Named[Maker] = Named(
    "local planner",
    {
        "dwa": (DWA, DWAParameters),
        "mppi": (MPPI, MPPIParameters),
        "pursuit": (Pursuit, PursuitParameters),
    },
)
"""Planner and its parameters, by name."""


def local_planner(
    name: str, limits: VelocityLimits, parameters: Mapping[str, Any] | None = None
) -> LocalPlanner:
    """Return a local planner by name.

    Args:
        name: One of `LOCAL_PLANNERS`.
        limits: What the base may be commanded.
        parameters: Changed parameters by name; None keeps all defaults.
    """
    planner, kind = LOCAL_PLANNERS[name]
    known = [each.name for each in fields(kind)]
    for key in parameters or {}:
        if key not in known:
            raise UnknownName(f"parameter of the local planner {name}", key, known)
    try:
        return planner(limits, kind(**(parameters or {})))
    except TypeError as error:
        raise InvalidInput(f"local planner {name}: {error}") from None
