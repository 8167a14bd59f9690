"""Tests of attribution methods on tasks whose relevant source tokens are known."""
