"""The panels of the page, each made from what a robot's description says it has."""
