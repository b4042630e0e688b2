"""802.11 PHY: modes, durations, error rates, reception."""
