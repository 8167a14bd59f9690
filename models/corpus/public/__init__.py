"""Public corpora: fetched from their publishers, cleaned, split and stored. Imports no torch."""
