"""MADAR without gravity, its base carried as its wheels say."""
