"""The lab of positions and masks."""
