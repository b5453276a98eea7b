"""Maps that are used again: a new drive in the map of an earlier one, whose furniture has moved."""
