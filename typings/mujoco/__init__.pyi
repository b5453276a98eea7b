# MuJoCo's classes live in compiled modules without type information, so pyright sees none of them.
# Here every name of the package is known, and of any type.
from typing import Any

def __getattr__(name: str) -> Any: ...
