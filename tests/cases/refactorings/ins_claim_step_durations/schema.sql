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

CREATE TABLE agents (
  agent_id INT NOT NULL,
  agent_name STRING NOT NULL,
  team STRING,
  PRIMARY KEY (agent_id)
);
