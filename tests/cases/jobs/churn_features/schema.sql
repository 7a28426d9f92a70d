CREATE TABLE `data/accounts.parquet` (
  account_id BIGINT NOT NULL,
  plan STRING,
  signup_date DATE,
  monthly_fee DECIMAL(8,2),
  is_business BOOLEAN,
  PRIMARY KEY (account_id)
);
CREATE TABLE `data/usage.parquet` (
  account_id BIGINT,
  usage_date DATE,
  minutes INT,
  megabytes BIGINT
);
CREATE TABLE `data/complaints.parquet` (
  complaint_id BIGINT NOT NULL,
  account_id BIGINT,
  severity INT,
  PRIMARY KEY (complaint_id)
);
