"""The package costs nothing but numpy to import."""

import subprocess
import sys

CODE = """
import sys
import mecano.core
heavy = {"scipy", "numba", "mujoco", "matplotlib", "rich", "typer"}
print(sorted(heavy & {name.split(".")[0] for name in sys.modules}))
"""


def test_importing_core_loads_no_heavy_library():
    loaded = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"


def test_every_name_in_the_window_is_documented():
    import mecano.core

    public = [value for name, value in vars(mecano.core).items() if name[0].isupper()]
    classes = [value for value in public if isinstance(value, type)]
    assert len(classes) > 30
    assert [kind.__name__ for kind in classes if not kind.__doc__] == []
