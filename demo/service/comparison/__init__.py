"""One text in several ways, or two beside each other: run row by row, judged, told in sentences."""
