"""Requests of visitors, checked here, once. Knows no Gradio, and loads no torch."""
