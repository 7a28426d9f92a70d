CREATE TABLE claims (
  claim_id BIGINT NOT NULL,
  policy_id BIGINT NOT NULL,
  loss_date DATE,
  reported_on DATE NOT NULL,
  cause STRING,
  severity INT,
  reserve DECIMAL(12,2),
  PRIMARY KEY (claim_id)
);

CREATE TABLE claim_events (
  claim_id BIGINT NOT NULL,
  event_no INT NOT NULL,
  event_at TIMESTAMP,
  status STRING NOT NULL,
  adjuster STRING,
  PRIMARY KEY (claim_id, event_no)
);

CREATE TABLE payments (
  payment_id BIGINT NOT NULL,
  claim_id BIGINT NOT NULL,
  paid_on DATE NOT NULL,
  gross DECIMAL(12,2) NOT NULL,
  recovered DECIMAL(12,2) NOT NULL,
  tax DECIMAL(12,2),
  payee STRING,
  PRIMARY KEY (payment_id)
);
