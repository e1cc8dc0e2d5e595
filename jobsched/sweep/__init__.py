"""Finishing what the dead left: take back their slots, end jobs that nobody drives, remove orphans.

``reap`` decides (inside a scheduling pass's transaction), with what ``evidence`` there is of how a
controller died. All else acts, outside any lock but its own: ``settle`` ends a job, ``callbacks``
tells its callbacks of that (``calling`` runs one), ``orphans`` removes clusters and ``room`` tells
who waits for theirs, ``pruning`` and ``litter`` remove what is needed no more. ``liveness`` says
whether a controller lives, ``fence`` ends one and ``owner`` tells whose a process is. Nothing here
starts a controller.
"""
