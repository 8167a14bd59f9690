"""What there is on the Hub: models worth a look, what a repository holds, which of its files make a model."""
