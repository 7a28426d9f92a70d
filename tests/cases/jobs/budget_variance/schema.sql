CREATE TABLE bookings (
  cost_center STRING NOT NULL,
  account STRING,
  booked_on DATE NOT NULL,
  amount DECIMAL(12,2)
);
CREATE TABLE budgets (
  cost_center STRING NOT NULL,
  quarter INT NOT NULL,
  budget DECIMAL(14,2) NOT NULL,
  PRIMARY KEY (cost_center, quarter)
);
