"""The answer of each tab to a link: the widgets that it fills in, or the view's part of it."""
