"""Commands that run versions and look into stores."""
