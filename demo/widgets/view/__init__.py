"""Shared parts of the views: charts, pictures, answers of the server, and exports."""
