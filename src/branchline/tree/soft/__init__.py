"""Soft thresholds: rows near a threshold go both ways."""
