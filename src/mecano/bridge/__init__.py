"""Servers for programs of others: emulated hardware, for now."""
