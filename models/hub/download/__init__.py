"""Downloads from the Hub, in a process that can be stopped at any moment."""
