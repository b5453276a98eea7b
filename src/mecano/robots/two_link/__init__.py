"""The planar arm with two links: the example every course begins with."""
