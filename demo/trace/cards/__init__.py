"""The cards of the trace view: a module or a folder each. The cards of figures are generated."""
