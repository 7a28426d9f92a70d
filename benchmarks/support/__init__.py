"""What several runners, or their tests, share."""
