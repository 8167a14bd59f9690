"""The view of an evaluation: the script of its own that the tab shows it with."""
