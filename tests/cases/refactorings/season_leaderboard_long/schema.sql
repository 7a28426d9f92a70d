CREATE TABLE players (
  player_id BIGINT NOT NULL,
  handle STRING NOT NULL,
  country STRING,
  signup_date DATE NOT NULL,
  guild_id BIGINT,
  referrer_id BIGINT,
  PRIMARY KEY (player_id)
);

CREATE TABLE guilds (
  guild_id BIGINT NOT NULL,
  guild_name STRING,
  region STRING,
  leader_id BIGINT,
  PRIMARY KEY (guild_id)
);

CREATE TABLE matches (
  match_id BIGINT NOT NULL,
  map_code STRING,
  mode STRING,
  season INT NOT NULL,
  started_at TIMESTAMP NOT NULL,
  duration_s INT,
  PRIMARY KEY (match_id)
);

CREATE TABLE match_players (
  match_id BIGINT NOT NULL,
  player_id BIGINT NOT NULL,
  team STRING,
  kills INT,
  deaths INT,
  won BOOLEAN,
  PRIMARY KEY (match_id, player_id)
);

CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  player_id BIGINT NOT NULL,
  item_id BIGINT,
  purchased_at TIMESTAMP NOT NULL,
  quantity INT NOT NULL,
  amount DECIMAL(10,2),
  status STRING,
  PRIMARY KEY (purchase_id)
);
