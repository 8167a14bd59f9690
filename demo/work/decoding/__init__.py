"""Decodings of visitors: turns, progress and cancellation."""
