"""Views beyond Gradio's widgets: a folder each, with its Python, HTML, CSS and JavaScript."""
