"""Commands about whole projects."""
