"""One text in several ways, or two beside each other: records, judgements and sentences. Knows no model."""
