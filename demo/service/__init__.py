"""What the server does for its visitors: decode, compare, train, fetch models. Knows no widget."""
