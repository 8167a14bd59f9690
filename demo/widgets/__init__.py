"""All that several tabs draw with: widgets, a folder each, charts and figures, answers, sentences."""
