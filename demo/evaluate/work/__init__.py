"""Evaluations: requests, runs, and jobs that visitors follow."""
