"""Messages above the page: faults of a link, parts that it hides, and what happened to a form."""
