"""The upload of a trained checkpoint to the Hub, with its card."""
