"""Kills, full disks, removed folders and two servers, at random moments that a seed determines."""
