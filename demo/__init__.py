"""The Gradio application."""
