"""The Transformer: how it is described, and its layers."""
