"""What the labs of the course compute: small models of the field, by hand, on a reader's text or numbers."""
