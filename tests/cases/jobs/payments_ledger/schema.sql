CREATE TABLE card_payments (
  payment_id STRING NOT NULL,
  account STRING,
  paid_at TIMESTAMP,
  amount DECIMAL(12,2),
  fee DECIMAL(6,2)
);
CREATE TABLE wire_payments (
  wire_id STRING NOT NULL,
  iban STRING,
  value_date DATE,
  amount DECIMAL(12,2)
);
CREATE TABLE chargebacks (
  chargeback_id STRING NOT NULL,
  account STRING,
  booked_on DATE,
  amount DECIMAL(12,2)
);
