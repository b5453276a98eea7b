"""What cameras see, as objects with a place: boxes on a table so far."""
