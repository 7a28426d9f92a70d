CREATE TABLE policies (
  policy_id BIGINT NOT NULL,
  holder_id BIGINT NOT NULL,
  product STRING NOT NULL,
  region STRING,
  agent_id INT,
  start_date DATE NOT NULL,
  end_date DATE,
  annual_premium DECIMAL(12,2) NOT NULL,
  PRIMARY KEY (policy_id)
);

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
