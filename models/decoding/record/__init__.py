"""The record of a search: its steps as observed, and the recorder that makes a trace of them."""
