CREATE TABLE entries (
  entry_id BIGINT NOT NULL,
  account STRING NOT NULL,
  booked_on DATE NOT NULL,
  amount DECIMAL(12,2),
  kind STRING,
  PRIMARY KEY (entry_id)
);
CREATE TABLE credit_lines (
  account STRING NOT NULL,
  credit_line DECIMAL(12,2),
  PRIMARY KEY (account)
);
