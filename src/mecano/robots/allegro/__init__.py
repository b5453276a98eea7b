"""Allegro hand, right and left."""
