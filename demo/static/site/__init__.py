"""Builds and checks the folder of the page without a server."""
