"""A comparison: the mistakes, the outputs with their numbers, and files to download."""
