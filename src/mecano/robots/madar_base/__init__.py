"""The base of MADAR alone, with its mast and sensors."""
