CREATE TABLE signups (
  email STRING,
  source STRING,
  country STRING,
  opted_in BOOLEAN,
  signed_up_on DATE
);
CREATE TABLE unsubscribes (
  email STRING NOT NULL,
  reason STRING
);
CREATE TABLE bounces (
  email STRING NOT NULL,
  bounce_type STRING,
  bounced_on DATE
);
