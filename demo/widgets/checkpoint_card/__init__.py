"""A checkpoint's facts and card."""
