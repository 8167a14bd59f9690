"""The view of embeddings, and its map."""
