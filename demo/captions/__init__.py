"""Sentences about results, computed from them. Knows no Gradio."""
