"""What stands behind a verdict, for people who do not take Veer's word for it."""
