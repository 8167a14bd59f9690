"""The page: its tabs together, its look, and the scripts that belong to no tab."""
