"""The course as a map: chapters, lessons, minutes, and what this browser has done."""
