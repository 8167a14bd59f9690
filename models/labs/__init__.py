"""The computations of the course's labs: small models on a reader's text or numbers."""
