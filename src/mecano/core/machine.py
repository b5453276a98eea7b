"""What of a machine the last bits of a run depend on: system, Python, and the kernel of its BLAS.

The BLAS behind numpy chooses a kernel by the processor, and kernels add in another order. So the
`mecano` command chooses one itself (`mecano.__main__`), and records say which one a run had.
"""

import ctypes
import platform
from functools import cache
from pathlib import Path

CHOICE = "OPENBLAS_CORETYPE"
"""Environment variable by which OpenBLAS is told its kernel, before numpy is loaded."""
UNKNOWN = "unknown"


def machine() -> str:
    """Return the kind of machine that numbers may depend on."""
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


@cache
def blas_kernel() -> str:
    """Return the kernel that numpy's OpenBLAS uses in this process, "Haswell" for example.

    "unknown" for another BLAS, or where the system does not tell which libraries are loaded.
    """
    for library in _loaded("openblas"):
        for name in (
            "scipy_openblas_get_corename64_",
            "openblas_get_corename64_",
            "openblas_get_corename",
        ):
            function = getattr(ctypes.CDLL(library), name, None)
            if function is not None:
                function.restype = ctypes.c_char_p
                return function().decode()
    return UNKNOWN


def _loaded(part: str) -> list[str]:
    """Return the files of loaded libraries whose name has a part, numpy's before others."""
    import numpy  # its BLAS is loaded with it

    maps = Path("/proc/self/maps")
    if not maps.exists():
        return []
    files = {line.split(maxsplit=5)[-1] for line in maps.read_text().splitlines() if part in line}
    home = Path(numpy.__file__).parent.name
    return sorted(files, key=lambda file: (f"{home}.libs" not in file, file))
