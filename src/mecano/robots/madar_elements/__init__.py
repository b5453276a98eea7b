"""MADAR with every free element of its wheels as a body of its own."""
