"""Calls through Gradio's queue and their answers: refusals, listeners, unread answers."""
