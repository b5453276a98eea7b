"""The record of a run: a folder with a log, tables and plots, and what can be done with it."""
