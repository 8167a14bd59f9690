"""The Learn tab: the course with its lessons, its class and its dock."""
