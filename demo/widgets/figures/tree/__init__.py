"""The tree of a search: its candidates, their layout and their drawing."""
