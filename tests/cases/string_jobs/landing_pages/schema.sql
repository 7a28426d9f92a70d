CREATE TABLE page_hits (
  hit_id BIGINT NOT NULL,
  visitor_id BIGINT,
  url STRING,
  referrer STRING,
  hit_on DATE,
  PRIMARY KEY (hit_id)
);
