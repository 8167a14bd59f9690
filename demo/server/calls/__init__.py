"""Calls through Gradio's queue and their answers: what is refused, who listens, what nobody fetches."""
