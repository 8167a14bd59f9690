"""The Decode tab: type a text or draw a picture, choose a strategy, and follow the whole search."""
