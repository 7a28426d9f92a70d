CREATE TABLE card_txns (
  txn_id BIGINT NOT NULL,
  card STRING,
  merchant STRING,
  amount DECIMAL(10,2),
  txn_at TIMESTAMP,
  PRIMARY KEY (txn_id)
);
CREATE TABLE reported_cards (
  card STRING NOT NULL,
  reported_on DATE,
  source STRING
);
CREATE TABLE merchants (
  merchant STRING NOT NULL,
  mcc INT,
  risk_level INT,
  PRIMARY KEY (merchant)
);
