"""Small networks, tokenizers and folders of the transformers library."""
