"""Robust kernels: how much an edge counts that disagrees with all others."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import UnknownName

Shape = Literal["huber", "cauchy", "geman-mcclure", "dcs"]
"""By how fast they let go. `dcs` is the dynamic covariance scaling of Agarwal et al. (ICRA 2013):
a full vote up to the scale, then as Geman and McClure's."""


@dataclass(frozen=True)
class RobustKernel:
    """What a squared error counts, and the weight that least squares gives it."""

    shape: Shape = "dcs"
    scale: float = 3.0
    """Errors beyond this many standard deviations are doubted."""

    def __post_init__(self) -> None:
        """Refuse a shape that does not exist and a scale that is not positive."""
        if self.shape not in get_args(Shape):
            raise UnknownName("robust kernel", self.shape, get_args(Shape))
        finite_number(self.scale, name="RobustKernel.scale", lower=1e-6)

    def weights(self, squared: Array) -> Array:
        """Return the weights in [0, 1] of squared errors, in units of their variance."""
        limit = self.scale**2
        match self.shape:
            case "huber":
                return np.sqrt(limit / np.maximum(squared, limit))
            case "cauchy":
                return limit / (limit + squared)
            case "geman-mcclure":
                return (limit / (limit + squared)) ** 2
            case "dcs":
                return np.minimum(1.0, 2.0 * limit / (limit + squared)) ** 2

    def costs(self, squared: Array) -> Array:
        """Return what squared errors count; the derivative of this is the weight."""
        limit = self.scale**2
        match self.shape:
            case "huber":
                beyond = 2.0 * np.sqrt(limit * np.maximum(squared, limit)) - limit
                return np.where(squared <= limit, squared, beyond)
            case "cauchy":
                return limit * np.log1p(squared / limit)
            case "geman-mcclure":
                return squared * limit / (limit + squared)
            case "dcs":
                beyond = limit * (3.0 * squared - limit) / (squared + limit)
                return np.where(squared <= limit, squared, beyond)
