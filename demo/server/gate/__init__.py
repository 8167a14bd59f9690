"""Checks of a request before it reaches Gradio: routes, origins, sizes, rates and time."""
