"""What the page shows beyond the widgets of Gradio: components drawn in the browser."""
