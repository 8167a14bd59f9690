"""Who trains a run, where and when: a child process, or chunks on a lent GPU."""
