"""Evaluations: what is asked, how it runs, and those that go on while their visitors look on."""
