"""Corpora that everybody may have: fetched from their publishers, cleaned, split and kept. Knows no torch."""
