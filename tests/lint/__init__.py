"""Rules for the form of code, tests, texts and repository. `python -m tests.lint` prints what breaks them."""
