"""What the style sheet says of the training form."""
