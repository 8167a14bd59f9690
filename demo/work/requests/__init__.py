"""Requests for decodings, checked here, once. Imports neither Gradio nor torch."""
