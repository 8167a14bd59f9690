"""The answer of each tab to a link, a file for each: mostly the widgets that it fills in."""
