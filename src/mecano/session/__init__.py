"""One clock, one tick and everything that happens in it; what differs between backends."""
