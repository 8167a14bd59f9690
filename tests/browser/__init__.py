"""Journeys through the page in a real, headless Chromium."""
