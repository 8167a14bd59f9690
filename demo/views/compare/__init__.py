"""A comparison: who made which mistake, the outputs with their numbers, files to take along."""
