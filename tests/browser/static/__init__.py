"""The page without a server, in a browser."""
