"""Messages about a link: the faults in it, and that it hides parts of the page."""
