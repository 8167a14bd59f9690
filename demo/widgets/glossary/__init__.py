"""Explanations of the terms on the page, by hover, tap and keyboard, and a list of all of them."""
