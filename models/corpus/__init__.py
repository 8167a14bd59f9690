"""Pairs of texts: read, downloaded, generated, corrected, split and counted. Imports no torch."""
