"""The work for visitors: their turns, jobs, limits and requests, and the checkpoints they share."""
