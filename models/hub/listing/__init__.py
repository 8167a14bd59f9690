"""Listings of the Hub: recommended models, and the files of a repository that make up a model."""
