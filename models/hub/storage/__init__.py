"""Models of the Hub on this machine: their preparation, storage and removal."""
