"""Views of the Training tab."""
