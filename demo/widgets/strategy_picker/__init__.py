"""The choice of strategies for a comparison."""
