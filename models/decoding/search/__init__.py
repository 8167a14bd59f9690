"""The search: one loop, the rows it holds between two steps, and what it may not do."""
