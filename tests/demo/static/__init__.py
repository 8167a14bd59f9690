"""The page without a server."""
