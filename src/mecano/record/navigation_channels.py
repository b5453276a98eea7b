"""What is logged of navigation: its state at every control cycle, and plans as they are made."""

from typing import Any

from mecano.core.messages import NavigationStatus
from mecano.lab.navigating import LiveNavigation
from mecano.topics.tables import LOCAL_PLAN, NAVIGATION_STATUS, PLAN


class NavigationChannels:
    """Tells what is new."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._status: NavigationStatus | None = None
        self._route: object = None

    def messages(self, navigation: LiveNavigation | None) -> list[tuple[str, Any]]:
        """Return what is new since the last call, by topic."""
        if navigation is None or navigation.last_status is self._status:
            return []
        self._status = navigation.last_status
        messages: list[tuple[str, Any]] = [(NAVIGATION_STATUS, self._status)]
        route = navigation.navigator.route
        if route is not self._route:
            self._route = route
            messages.append((PLAN, navigation.plan))
        if route is not None:
            messages.append((LOCAL_PLAN, navigation.local_plan))
        return messages
