"""A picture to choose, to draw or to upload."""
