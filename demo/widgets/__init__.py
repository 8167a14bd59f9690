"""Widgets that several tabs share: a folder each, with its Python, HTML, CSS and JavaScript."""
