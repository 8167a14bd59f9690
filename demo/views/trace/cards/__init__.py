"""The cards of the view: a module or a folder each; those of figures are made by themselves."""
