"""Answers to a reader: controls whose values they depend on, and sentences, charts and tables."""
