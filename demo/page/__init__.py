"""The page: its tabs together, its look, and the scripts that all tabs need."""
