"""The server of the page: checks before Gradio, calls and their answers, files, shutdown."""
