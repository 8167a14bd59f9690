"""Requests of visitors, checked here, once. Imports neither Gradio nor torch."""
