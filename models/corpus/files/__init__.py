"""Files of texts as tables: one module for each format."""
