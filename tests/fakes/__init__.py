"""Stand-ins: models whose answers are arithmetic, servers on the loopback, records made by hand."""
