"""What a request meets before it reaches Gradio: addresses, origins, sizes, rates and time."""
