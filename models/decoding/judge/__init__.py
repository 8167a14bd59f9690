"""Judging outputs: a text by somebody else, whose mistake it is, which sample the others agree with."""
