"""Style rules of the training form."""
