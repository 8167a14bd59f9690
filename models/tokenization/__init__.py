"""Tokenizers: from sources to ids, and from ids back to text. Imports no torch."""
