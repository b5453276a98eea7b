"""Settings of the laws of `core`: a slow machine is no reason to fail one."""

from hypothesis import settings

settings.register_profile("core", deadline=None)
settings.load_profile("core")
