"""Pairs of texts: read, downloaded, generated, corrected, split and counted. Knows no torch."""
