"""Work that may never end, done in another process, which does not outlive it.

A regular expression can take longer than anybody lives, and while Python looks for one, no other
thread of the process runs: no console draws. ``safety`` says which cannot, ``asking`` is the side
that waits, in a thread, and ``answering`` the other process.
"""
