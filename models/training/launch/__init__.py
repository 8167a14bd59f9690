"""Launchers of training runs: a child process, or chunks on a lent GPU."""
