"""Simultaneous localization and mapping: poses of scans as a graph, and its optimization."""
