"""The page without a server: a folder that any web server can serve."""
