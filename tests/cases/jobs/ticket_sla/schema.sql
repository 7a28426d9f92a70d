CREATE TABLE `data/tickets.csv` (
  ticket_id INT,
  queue STRING,
  priority STRING,
  subject STRING,
  opened_at TIMESTAMP,
  first_reply_at TIMESTAMP,
  closed_at TIMESTAMP
);
CREATE TABLE sla_targets (
  priority STRING NOT NULL,
  reply_minutes INT NOT NULL,
  PRIMARY KEY (priority)
);
