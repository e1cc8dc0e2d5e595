"""The operator's console over jobsched."""
