"""The widgets that a link fills in, a file for each tab."""
