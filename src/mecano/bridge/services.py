"""What the services of a robot do."""

from collections.abc import Callable
from typing import Any

from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.messages import OccupancyGrid
from mecano.lab.locating import LiveLocalization
from mecano.lab.mapping import LiveMapping
from mecano.lab.robot import Robot
from mecano.topics.services import TYPES, Answer, Service, fits

Handler = Callable[[Any], Any]
"""Takes a request, returns an answer; see `mecano.topics.services.TYPES`."""


def handler_of(robot: Robot, service: Service) -> Handler:
    """Return what answers a service of a robot."""
    act = _ACTS[service.what]
    return lambda request: act(robot, service.of, request)


def ask(name: str, type_name: str, handler: Handler, request: Any) -> Any:
    """Return the answer to a request, both checked; what fails is said as the type can say it."""
    kind = TYPES[type_name]
    if not fits(request, kind.request):
        wanted = "nothing" if kind.request is type(None) else f"a {kind.request.__name__}"
        raise InvalidInput(f"{name} ({type_name}) takes {wanted}, got {request!r}")
    try:
        answer = handler(request)
    except MecanoError as error:
        if kind.answer is not Answer:
            raise
        return Answer(False, str(error))
    if not fits(answer, kind.answer):
        raise InvalidInput(
            f"what answers {name} ({type_name}) returned {answer!r}, expected "
            f"{'None' if kind.answer is type(None) else kind.answer.__name__}"
        )
    return answer


def _stop(robot: Robot, _: str, request: None) -> Answer:
    robot.stop()
    return Answer(True, "all motions end and hold")


def _switch_lidar(robot: Robot, name: str, on: bool) -> Answer:
    robot.lidars[name].switch(on)
    return Answer(True, f"LIDAR {name} is {'on' if on else 'off'}")


def _map_being_built(robot: Robot, _: str, request: None) -> OccupancyGrid:
    if not isinstance(robot.estimator, LiveMapping):
        raise InvalidInput("no map is being built; begin with robot.start_mapping()")
    return robot.estimator.grid()


def _localization(robot: Robot) -> LiveLocalization:
    if not isinstance(robot.estimator, LiveLocalization):
        raise InvalidInput("nothing locates the robot; begin with robot.start_localization(MAP)")
    return robot.estimator


def _start_anywhere(robot: Robot, _: str, request: None) -> None:
    _localization(robot).filter.start_globally()


def _reset(robot: Robot, _: str, request: None) -> None:
    robot.reset()


_ACTS: dict[str, Callable[[Robot, str, Any], Any]] = {
    "stop": _stop,
    "lidar": _switch_lidar,
    "map being built": _map_being_built,
    "map being used": lambda robot, _, request: _localization(robot).grid,
    "start anywhere": _start_anywhere,
    "reset": _reset,
}
