CREATE TABLE campaigns (
  campaign_id STRING NOT NULL,
  campaign_name STRING,
  channel STRING,
  start_date DATE,
  end_date DATE,
  budget DECIMAL(12,2),
  PRIMARY KEY (campaign_id)
);

CREATE TABLE sends (
  send_id BIGINT NOT NULL,
  campaign_id STRING,
  recipient STRING,
  sent_at TIMESTAMP,
  opened BOOLEAN,
  bounced BOOLEAN,
  PRIMARY KEY (send_id)
);

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
