"""The lab of teacher forcing."""
