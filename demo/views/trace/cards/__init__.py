"""The cards of the view, a module each; those of figures are made by themselves."""
