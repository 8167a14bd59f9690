"""Rules for plain words: names, docstrings, comments and sentences."""
