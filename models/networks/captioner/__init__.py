"""The captioner, which describes pictures: its configuration and its layers."""
