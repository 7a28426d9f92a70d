CREATE TABLE cases (
  case_id BIGINT NOT NULL,
  agent_id INT,
  queue STRING,
  opened_on DATE,
  closed_on DATE,
  PRIMARY KEY (case_id)
);
CREATE TABLE agents (
  agent_id INT NOT NULL,
  team STRING,
  active BOOLEAN NOT NULL,
  PRIMARY KEY (agent_id)
);
