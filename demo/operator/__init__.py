"""What whoever runs the server allows: environment settings, and the caps that follow. Knows no Gradio."""
