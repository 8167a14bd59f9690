"""The lab of one-hot rows and embeddings."""
