"""The recipe of a training run, as plain numbers and words. Imports no torch."""
