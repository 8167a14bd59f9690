"""A trained checkpoint on its way to the Hub, with its card."""
