"""Stored states of a network on many sentences, and the nearest neighbours of a state among them."""
