"""The base of all views, the bundle of scripts, and what scripts share: elements, numbers, words."""
