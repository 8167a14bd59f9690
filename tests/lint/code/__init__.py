"""Rules for modules: what each may import and use, its size, its messages, and the assertions of tests."""
