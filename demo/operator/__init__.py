"""The operator's limits: environment settings, and the caps that follow. Knows no Gradio."""
