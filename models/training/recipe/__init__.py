"""What a training run is asked to be, as plain numbers and words. Imports no torch."""
