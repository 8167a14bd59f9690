"""Models of the Hub on this machine: prepared, kept while there is room, removed."""
