CREATE TABLE subscribers (
  msisdn STRING NOT NULL,
  customer_id BIGINT,
  plan_code STRING,
  segment STRING,
  activated_on DATE NOT NULL,
  deactivated_on DATE,
  PRIMARY KEY (msisdn)
);

CREATE TABLE cdrs (
  cdr_id BIGINT NOT NULL,
  msisdn STRING,
  peer STRING,
  call_type STRING,
  started_at TIMESTAMP NOT NULL,
  duration_sec INT,
  cell_id STRING,
  charge DECIMAL(8,4),
  PRIMARY KEY (cdr_id)
);

CREATE TABLE data_usage (
  msisdn STRING NOT NULL,
  usage_date DATE NOT NULL,
  home_mb BIGINT,
  roaming_mb BIGINT,
  tether_mb BIGINT,
  PRIMARY KEY (msisdn, usage_date)
);

CREATE TABLE topups (
  topup_id BIGINT NOT NULL,
  msisdn STRING NOT NULL,
  topup_at TIMESTAMP NOT NULL,
  amount DECIMAL(8,2) NOT NULL,
  channel STRING,
  PRIMARY KEY (topup_id)
);
