"""States of a network on sentences that are kept, and those of them that are nearest to one on show."""
