"""The operator's limits: environment settings, and the caps that follow. Imports no Gradio."""
