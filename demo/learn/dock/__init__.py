"""The dock of a lesson: a text beside the page that it drives."""
