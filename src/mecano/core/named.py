"""Tables that say what there is when something is looked up that is not."""

from collections.abc import Mapping
from typing import NoReturn, TypeVar

from mecano.core.errors import UnknownName

Value = TypeVar("Value")


class Named(dict[str, Value]):
    """A dictionary of things by name; a wrong name raises `UnknownName` with the right ones."""

    def __init__(self, kind: str, entries: Mapping[str, Value] | None = None) -> None:
        """Fill it; `kind` is what an entry is called in the error."""
        super().__init__(entries or {})
        self._kind = kind

    def __missing__(self, name: object) -> NoReturn:
        raise UnknownName(self._kind, str(name), self)
