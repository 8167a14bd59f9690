"""The view of recurrent units, with a search for patterns and with clamping."""
