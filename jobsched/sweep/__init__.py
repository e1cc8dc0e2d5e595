"""Finishing what the dead left: take back their slots, end jobs that nobody drives, remove orphans.

``reap`` decides (inside a scheduling pass's transaction), ``settle`` and ``orphans`` act (outside
any lock but their own). Nothing here starts a controller.
"""
