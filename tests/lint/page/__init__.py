"""Rules for the page: its style sheets, the names of Gradio's page, its texts and their translations."""
