"""Rules for the repository: its files, the header for Spaces, the changelog and the documents."""
