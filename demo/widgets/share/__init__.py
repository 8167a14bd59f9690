"""“Copy link” beside a result."""
