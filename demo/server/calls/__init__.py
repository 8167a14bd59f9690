"""Calls and their answers, in Gradio's queue and outside it: refusals, listeners, streams of states."""
