"""Drives that mapping is measured on: random buildings, and variants of recorded logs."""
