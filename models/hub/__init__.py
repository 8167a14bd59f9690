"""Models of the Hugging Face Hub: downloads, checks, storage, and uploads of trained checkpoints."""
