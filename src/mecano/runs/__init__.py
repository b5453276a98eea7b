"""Runs as values: a `RunSpec` says everything about a run, `run` makes it."""
