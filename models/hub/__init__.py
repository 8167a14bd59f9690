"""Models of the Hugging Face Hub: fetched, checked, kept, and trained ones pushed there."""
