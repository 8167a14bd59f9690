"""The server of the page: rate limits, closed routes, and checks before Gradio."""
