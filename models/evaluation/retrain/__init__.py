"""Which training pairs lie behind a wrong output, and what it becomes without them or with others."""
