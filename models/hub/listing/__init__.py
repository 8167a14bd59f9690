"""Listings of the Hub: recommended models, files of a repository, and which of them make up a model."""
