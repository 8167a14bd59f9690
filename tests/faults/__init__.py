"""Kills, full disks, removed folders, two servers: at random moments, each of a seed."""
