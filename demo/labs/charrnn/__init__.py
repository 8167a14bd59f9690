"""The lab of a language model of characters."""
