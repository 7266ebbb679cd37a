"""The faces: each translates the same stream of events for somebody, and does nothing else."""
