"""How the page is served: who may ask how often, what is closed, what is checked before Gradio."""
