CREATE TABLE loadouts (
  player_id BIGINT NOT NULL,
  slots ARRAY<STRUCT<slot: STRING, item_id: BIGINT, lvl: INT>>,
  perks ARRAY<STRING>,
  stats MAP<STRING, INT>,
  PRIMARY KEY (player_id)
);

CREATE TABLE players (
  player_id BIGINT NOT NULL,
  handle STRING NOT NULL,
  country STRING,
  signup_date DATE NOT NULL,
  guild_id BIGINT,
  referrer_id BIGINT,
  PRIMARY KEY (player_id)
);

CREATE TABLE items (
  item_id BIGINT NOT NULL,
  item_name STRING,
  category STRING,
  rarity STRING,
  PRIMARY KEY (item_id)
);
