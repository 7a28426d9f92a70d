CREATE TABLE log_lines (
  line_no BIGINT NOT NULL,
  host STRING NOT NULL,
  line STRING,
  PRIMARY KEY (line_no)
);
CREATE TABLE services (
  service STRING NOT NULL,
  owner STRING,
  PRIMARY KEY (service)
);
