"""What a link asked for in vain, and that it hides parts of the page."""
