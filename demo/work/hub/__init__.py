"""Models of the Hub: present, being added, and open to add."""
