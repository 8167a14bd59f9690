"""The training loop and its parts: data, loss, optimizer, one update, validation, what it saves."""
