"""The web view: watch a run in the browser, move a robot by hand, replay a record."""
