"""The Evaluate tab: the quality of systems on a test set, and the causes of their bad outputs."""
