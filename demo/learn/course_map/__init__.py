"""The course as a map: chapters, lessons, minutes, and the progress in this browser."""
