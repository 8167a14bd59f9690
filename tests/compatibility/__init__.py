"""Files that people saved with an earlier version, and tests that they still work.

Frozen: every file here but the Python files. They were written by the version of their time. Never edit an
entry and never make one anew: a test that fails here means that somebody's download, bookmark, script or
trained run has stopped working.

An addition may change three things: a list of names in a sentence, a recipe and the methods of an attribution
may gain names; an endpoint may gain arguments with a default, after those that it had; there may be more
strategies, checkpoints, tabs, parts and labs.

Nobody lists an addition here. The tests run every strategy that there is, also those of which nothing is on
record. To freeze what an addition does today, append an entry to `api.json`, `links.json` or `requests.json`.
A release appends the settings that it adds to `POSITIONS` of `demo/api/arguments.py`.
"""
