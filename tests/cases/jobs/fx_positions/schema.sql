CREATE TABLE positions (
  position_id BIGINT NOT NULL,
  desk STRING,
  currency STRING,
  notional DECIMAL(14,2),
  trade_date DATE,
  PRIMARY KEY (position_id)
);
CREATE TABLE `data/rates.csv` (
  currency STRING,
  rate_date DATE,
  rate DECIMAL(10,4)
);
