"""The earlier results of a visit, to be opened again."""
