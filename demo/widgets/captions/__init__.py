"""Sentences about results, computed from them. Imports no Gradio."""
