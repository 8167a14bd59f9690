"""The Transformer: its configuration and its layers."""
