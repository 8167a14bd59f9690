"""Networks of the transformers library as checkpoints."""
