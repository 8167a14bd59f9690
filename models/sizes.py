"""Sizes in bytes as texts, in decimal units."""

from __future__ import annotations


def size_text(count: float) -> str:
    """Format bytes for people: "16 kB", "9.4 MB", "312 MB", "2.5 GB"."""
    if count < 999_500:
        return f"{max(1, round(count / 1e3))} kB"
    if count < 999.5e6:
        return f"{count / 1e6:.{1 if count < 9.95e6 else 0}f} MB"
    return f"{count / 1e9:.1f} GB"
