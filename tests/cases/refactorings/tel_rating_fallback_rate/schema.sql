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

CREATE TABLE subscribers (
  msisdn STRING NOT NULL,
  customer_id BIGINT,
  plan_code STRING,
  segment STRING,
  activated_on DATE NOT NULL,
  deactivated_on DATE,
  PRIMARY KEY (msisdn)
);

CREATE TABLE plans (
  plan_code STRING NOT NULL,
  plan_name STRING,
  monthly_fee DECIMAL(8,2) NOT NULL,
  included_minutes INT,
  per_minute DECIMAL(6,4),
  PRIMARY KEY (plan_code)
);
