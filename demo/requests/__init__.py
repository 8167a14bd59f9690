"""What a visitor asks for, checked once, here. Knows no Gradio, and loads no torch."""
