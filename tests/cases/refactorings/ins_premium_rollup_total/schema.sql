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
