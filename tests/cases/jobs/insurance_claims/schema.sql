CREATE TABLE claims (
  claim_id BIGINT NOT NULL,
  policy_id BIGINT,
  claim_type STRING,
  filed_on DATE,
  amount DECIMAL(12,2),
  status STRING,
  PRIMARY KEY (claim_id)
);
CREATE TABLE policies (
  policy_id BIGINT NOT NULL,
  holder STRING,
  premium DECIMAL(10,2) NOT NULL,
  state STRING,
  PRIMARY KEY (policy_id)
);
