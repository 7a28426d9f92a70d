CREATE TABLE leads (
  lead_id BIGINT NOT NULL,
  email STRING,
  source STRING,
  utm STRING,
  score INT,
  created_at TIMESTAMP,
  owner STRING,
  PRIMARY KEY (lead_id)
);
