"""The default controller: one process per job that launches its tasks, watches and recovers them.

``plan`` decides what the job needs next, ``task`` drives one task, ``job`` the whole; ``journal``
is their way into the database, fenced by the attempt. Started as ``python -m jobsched.controller``.
"""
