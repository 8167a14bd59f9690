"""The cause of each bad output, with evidence and a remedy."""
