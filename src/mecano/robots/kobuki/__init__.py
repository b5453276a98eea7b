"""Kobuki: a round base with two driven wheels."""
