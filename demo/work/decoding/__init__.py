"""Decodings of visitors: progress, cancellation and the memory they need."""
