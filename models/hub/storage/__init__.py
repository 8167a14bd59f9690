"""Models of the Hub on this machine: made ready, kept while there is room, removed."""
