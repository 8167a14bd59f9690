"""The lab of attention as a soft dictionary."""
