"""Servers that stand in for the Hub, publishers, identity providers and busy pages."""
