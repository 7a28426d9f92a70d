"""Constants shared by the retail jobs."""

# everything is reported in this currency
BASE_CURRENCY = "EUR"

TEST_EMAIL_DOMAIN = "@example.test"

DEFAULT_CATEGORY = "uncategorised"

COMPLETED_STATUSES = ["paid", "shipped", "delivered"]

SETTLED_STATES = ["captured", "settled"]

CARD_METHODS = ["visa", "mastercard", "amex"]

# order total (in order currency) from which an order counts as high value
HIGH_VALUE_ORDER = 500

FUNNEL_EVENTS = ["view", "add_to_cart", "checkout", "purchase"]

REPORTING_START = "2023-01-01"

SNAPSHOT_DATE = "2024-12-31"
