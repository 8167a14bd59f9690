"""The training loop and its parts: loss, optimizer, one update, validation, what it saves."""
