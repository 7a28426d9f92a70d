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
