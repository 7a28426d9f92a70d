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
