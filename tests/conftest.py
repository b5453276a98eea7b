"""Settings of the laws: a slow machine is no reason to fail one, and CI draws the same examples."""

import os

from hypothesis import settings

settings.register_profile("mecano", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mecano")
