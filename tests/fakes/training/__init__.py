"""Runs of training: their forms, events and processes, and runs that wait."""
