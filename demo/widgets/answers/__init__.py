"""Parts of an answer to a reader: controls, sentences, charts and tables."""
