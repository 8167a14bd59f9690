"""The Training tab: choose data and a network, watch a run, use what it has learnt."""
