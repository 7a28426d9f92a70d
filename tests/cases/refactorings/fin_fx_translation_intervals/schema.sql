CREATE TABLE gl_entries (
  entry_id BIGINT NOT NULL,
  account_code STRING NOT NULL,
  cost_center STRING,
  posting_date DATE NOT NULL,
  amount DECIMAL(14,2) NOT NULL,
  currency STRING,
  dc_flag STRING,
  source STRING,
  reversal_of BIGINT,
  PRIMARY KEY (entry_id)
);

CREATE TABLE accounts (
  account_code STRING NOT NULL,
  account_name STRING,
  category STRING,
  is_active BOOLEAN,
  PRIMARY KEY (account_code)
);

CREATE TABLE fx_rates (
  currency STRING NOT NULL,
  rate_date DATE NOT NULL,
  rate DECIMAL(12,6) NOT NULL,
  PRIMARY KEY (currency, rate_date)
);

CREATE TABLE cost_centers (
  cost_center STRING NOT NULL,
  region STRING,
  owner STRING,
  PRIMARY KEY (cost_center)
);
