CREATE TABLE data_usage (
  msisdn STRING NOT NULL,
  usage_date DATE NOT NULL,
  home_mb BIGINT,
  roaming_mb BIGINT,
  tether_mb BIGINT,
  PRIMARY KEY (msisdn, usage_date)
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
