CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
, stores_content INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE balances (
  owner TEXT PRIMARY KEY,
  posted INTEGER NOT NULL CHECK (posted >= 0),
  leased INTEGER NOT NULL DEFAULT 0 CHECK (leased >= 0 AND leased <= posted)
, allotted INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  models TEXT,
  budget INTEGER,
  requests_per_minute INTEGER,
  tokens_per_minute INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  revision INTEGER NOT NULL
, daily_budget INTEGER, monthly_budget INTEGER) STRICT;
CREATE TABLE key_secrets (
  hash TEXT PRIMARY KEY,
  key TEXT NOT NULL REFERENCES keys (id),
  hint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  process INTEGER NOT NULL,
  host TEXT NOT NULL,
  beat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE leases (
  owner TEXT NOT NULL,
  node TEXT NOT NULL REFERENCES nodes (id),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (owner, node)
) STRICT, WITHOUT ROWID;
CREATE TABLE holds (
  request TEXT PRIMARY KEY,
  node TEXT NOT NULL REFERENCES nodes (id),
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  amount INTEGER NOT NULL,
  at INTEGER NOT NULL,
  receipt TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE recalls (
  owner TEXT NOT NULL,
  node TEXT NOT NULL,
  at INTEGER NOT NULL, amount INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, node)
) STRICT, WITHOUT ROWID;
CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
CREATE TABLE entries (
  account TEXT NOT NULL REFERENCES accounts (id),
  -- Null in the receipt of a request that was not charged, which is no line of the book.
  number INTEGER,
  kind TEXT,
  amount INTEGER,
  balance INTEGER,
  at INTEGER NOT NULL,
  request TEXT,
  note TEXT,
  author TEXT,
  receipt_hash TEXT,
  previous_hash TEXT,
  hash TEXT,
  key TEXT,
  receipt TEXT, budgets INTEGER NOT NULL DEFAULT 0,
  CHECK (number IS NULL OR (kind IS NOT NULL AND amount IS NOT NULL AND balance IS NOT NULL
    AND previous_hash IS NOT NULL AND hash IS NOT NULL))
) STRICT;
CREATE TABLE codes (
  id TEXT PRIMARY KEY,
  -- HMAC of the code. The code itself is nowhere.
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  note TEXT,
  amount INTEGER NOT NULL CHECK (amount > 0),
  uses INTEGER NOT NULL CHECK (uses > 0),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0 AND used <= uses),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  author TEXT
) STRICT;
CREATE TABLE redemptions (
  code TEXT NOT NULL REFERENCES codes (id),
  account TEXT NOT NULL REFERENCES accounts (id),
  entry INTEGER NOT NULL,
  PRIMARY KEY (code, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE payments (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  entry INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  account TEXT,
  target TEXT,
  before_body TEXT,
  after_body TEXT,
  address TEXT,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  user_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  joined_at INTEGER NOT NULL,
  UNIQUE (account, user_id)
) STRICT;
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (id),
  -- In small letters.
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  -- Of the token in the link, which itself is nowhere.
  token_hash TEXT NOT NULL UNIQUE,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER
) STRICT;
CREATE TABLE console_settings (
  section TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  sealed TEXT,
  revision INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (section, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE settings_revision (number INTEGER NOT NULL) STRICT;
INSERT INTO "accounts" ("id", "name", "created_at", "stores_content") VALUES ('acc_4yjdvHI6mVuurzLu', 'demo', 1795495105536, 0);
INSERT INTO "accounts" ("id", "name", "created_at", "stores_content") VALUES ('acc_9gsF5YWHA3gIHEgC', 'acme', 1795495106255, 1);
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('acc_4yjdvHI6mVuurzLu', 10000000000, 0, NULL);
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('acc_9gsF5YWHA3gIHEgC', 6473448199, 0, NULL);
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('key_uT6lDnzvr1m4XCnd', 1999991410, 0, 2000000000);
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('key_uT6lDnzvr1m4XCnd@2026-11', 2999991410, 0, 3000000000);
INSERT INTO "keys" ("id", "account", "name", "models", "budget", "requests_per_minute", "tokens_per_minute", "created_at", "expires_at", "revoked_at", "revision", "daily_budget", "monthly_budget") VALUES ('key_Kiv8W2aFvSHmJsWf', 'acc_4yjdvHI6mVuurzLu', 'first key', NULL, NULL, NULL, NULL, 1795495105540, NULL, NULL, 1, NULL, NULL);
INSERT INTO "keys" ("id", "account", "name", "models", "budget", "requests_per_minute", "tokens_per_minute", "created_at", "expires_at", "revoked_at", "revision", "daily_budget", "monthly_budget") VALUES ('key_uT6lDnzvr1m4XCnd', 'acc_9gsF5YWHA3gIHEgC', 'backend', '["sandbox/*","sim/*"]', 2000000000, 600, NULL, 1795495106696, NULL, NULL, 4, NULL, 3000000000);
INSERT INTO "key_secrets" ("hash", "key", "hint", "created_at", "expires_at") VALUES ('9af808886217790491f326b72b446663325dc5592c0c3c92e2e35aee98bfc729', 'key_uT6lDnzvr1m4XCnd', 'jTRy', 1795495106696, NULL);
INSERT INTO "key_secrets" ("hash", "key", "hint", "created_at", "expires_at") VALUES ('ea50f549d15176e2b6949a822b890005e0177818ac0d703772a2bc89ef62ac35', 'key_Kiv8W2aFvSHmJsWf', 'paWh', 1795495105540, NULL);
INSERT INTO "revision" ("number") VALUES (4);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_4yjdvHI6mVuurzLu', 1, 'grant', 10000000000, 10000000000, 1795495105538, NULL, 'credits to begin with', 'command line', NULL, '0000000000000000000000000000000000000000000000000000000000000000', 'e83a06434e6ecfa97fca2f69593856b79090048082c942e65eeff8892ddc7ab4', NULL, NULL, 0);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', 1, 'grant', 5123456789, 5123456789, 1795495106271, NULL, 'credits to begin with', 'command line', NULL, '0000000000000000000000000000000000000000000000000000000000000000', 'ab855eb17ade65c67566c60ec227f3c7371f3609f6d91cad70b31f47a9046d49', NULL, NULL, 0);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', 2, 'adjustment', -250000000, 4873456789, 1795495107097, NULL, 'too much', 'command line', NULL, 'ab855eb17ade65c67566c60ec227f3c7371f3609f6d91cad70b31f47a9046d49', '508272b3d1d3c45aa7c8e6de591a0f895819e49216e3e4001e0138673e63e542', NULL, NULL, 0);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', 3, 'refund', 100000000, 4973456789, 1795495107486, NULL, 'sorry', 'command line', NULL, '508272b3d1d3c45aa7c8e6de591a0f895819e49216e3e4001e0138673e63e542', '7205d311a87e5351926e362fa163b0cb4f747f76f45ef2977b0ce2e33f76e85c', NULL, NULL, 0);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', 4, 'code', 1500000000, 6473456789, 1795495110007, NULL, 'code_W5MgEUFv2XgWrNtp', 'olga@example.com', NULL, '7205d311a87e5351926e362fa163b0cb4f747f76f45ef2977b0ce2e33f76e85c', '9cd05787b5825fb632487a509de8bff40c00a6b2ae587fabb5df2ca74a847bce', NULL, NULL, 0);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', 5, 'charge', -6150, 6473450639, 1795495111309, 'req_01a20bd9-2a7b-7729-991c-e9ecda7b8822', NULL, NULL, '2ac356179e6c99339a86a22384138682df7c9d0becf3731dded86e2a50a48e13', '9cd05787b5825fb632487a509de8bff40c00a6b2ae587fabb5df2ca74a847bce', 'e38a3270947fcb6c299f473c522c70e6a68e313fb1493f24bb1f1aef2bb6b52f', 'key_uT6lDnzvr1m4XCnd', '{"id":"req_01a20bd9-2a7b-7729-991c-e9ecda7b8822","object":"receipt","status":"settled","created_at":1795495111291,"first_byte_ms":null,"duration_ms":27,"account":"acc_9gsF5YWHA3gIHEgC","key":"key_uT6lDnzvr1m4XCnd","endpoint":"/v1/chat/completions","model":"sandbox/echo","stream":false,"deployment":"sandbox/echo","usage":{"input":13,"output":7},"estimated":false,"price":{"per_million":{"input":"0.15","cached_input":"0.075","cache_write":"0.1875","output":"0.6"},"multiplier":"1"},"arithmetic":[{"class":"input","quantity":13,"per_million":"0.15"},{"class":"output","quantity":7,"per_million":"0.6"}],"cost":"0.00000615","hold":"0.009849713","attempts":[{"deployment":"sandbox/echo","status":200,"outcome":"ok","duration":7}],"losses":[]}', 5);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', 6, 'charge', -2400, 6473448239, 1795495111327, 'req_01a20bd9-2a9e-73b1-9d51-27d7711d0c5f', NULL, NULL, '48b6e45c733258dea87a2bb0d15977181fcb4b618e1b03662d4852d00a28884f', 'e38a3270947fcb6c299f473c522c70e6a68e313fb1493f24bb1f1aef2bb6b52f', '602184d70b8198d623ed9722897adf7605407524659f91e72edafb3eed0ac213', 'key_uT6lDnzvr1m4XCnd', '{"id":"req_01a20bd9-2a9e-73b1-9d51-27d7711d0c5f","object":"receipt","status":"settled","created_at":1795495111326,"first_byte_ms":9,"duration_ms":11,"account":"acc_9gsF5YWHA3gIHEgC","key":"key_uT6lDnzvr1m4XCnd","endpoint":"/v1/chat/completions","model":"sandbox/claude","stream":true,"deployment":"sandbox-claude/echo","usage":{"input":8,"output":2},"estimated":false,"price":{"per_million":{"input":"0.15","cached_input":"0.075","cache_write":"0.1875","output":"0.6"},"multiplier":"1"},"arithmetic":[{"class":"input","quantity":8,"per_million":"0.15"},{"class":"output","quantity":2,"per_million":"0.6"}],"cost":"0.0000024","hold":"0.0098499","attempts":[{"deployment":"sandbox-claude/echo","status":200,"outcome":"ok","duration":6}],"losses":[]}', 5);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', 7, 'charge', -40, 6473448199, 1795495111341, 'req_01a20bd9-2aac-70a8-96b4-8597ed113981', NULL, NULL, 'f931e3d60cc104afe5024f71dc56056a0d0220e7a5cedbbec10798b6d850e7b5', '602184d70b8198d623ed9722897adf7605407524659f91e72edafb3eed0ac213', '6bc9ac80b3346da324d8d3e2b88aa514d19adb0413959865cff5e9d6bfeaad34', 'key_uT6lDnzvr1m4XCnd', '{"id":"req_01a20bd9-2aac-70a8-96b4-8597ed113981","object":"receipt","status":"settled","created_at":1795495111340,"first_byte_ms":null,"duration_ms":11,"account":"acc_9gsF5YWHA3gIHEgC","key":"key_uT6lDnzvr1m4XCnd","endpoint":"/v1/embeddings","model":"sandbox/embed","stream":false,"deployment":"sandbox/embed","usage":{"input":2},"estimated":false,"price":{"per_million":{"input":"0.02"},"multiplier":"1"},"arithmetic":[{"class":"input","quantity":2,"per_million":"0.02"}],"cost":"0.00000004","hold":"0.00000094","attempts":[{"deployment":"sandbox/embed","status":200,"outcome":"ok","duration":8}],"losses":[]}', 5);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets") VALUES ('acc_9gsF5YWHA3gIHEgC', NULL, NULL, NULL, NULL, 1795495111354, 'req_01a20bd9-2aba-749e-ab1c-c286e5595cf4', NULL, NULL, NULL, NULL, NULL, 'key_uT6lDnzvr1m4XCnd', '{"id":"req_01a20bd9-2aba-749e-ab1c-c286e5595cf4","object":"receipt","status":"released","created_at":1795495111354,"first_byte_ms":null,"duration_ms":5,"account":"acc_9gsF5YWHA3gIHEgC","key":"key_uT6lDnzvr1m4XCnd","endpoint":"/v1/chat/completions","model":"sandbox/fault-500","stream":false,"deployment":null,"usage":null,"estimated":false,"price":null,"arithmetic":null,"cost":"0","hold":"0.009847463","attempts":[{"deployment":"sandbox/fault-500","status":500,"outcome":"upstream_error","duration":4}],"losses":[]}', 0);
INSERT INTO "codes" ("id", "hash", "hint", "note", "amount", "uses", "used", "created_at", "expires_at", "revoked_at", "author") VALUES ('code_W5MgEUFv2XgWrNtp', '72387e1b47e1ca6c2ddb5f399ebb1d41b058327e343a7c340dc0ee86235e5584', 'AC3H', NULL, 1500000000, 1, 1, 1795495109991, NULL, NULL, 'olga@example.com');
INSERT INTO "codes" ("id", "hash", "hint", "note", "amount", "uses", "used", "created_at", "expires_at", "revoked_at", "author") VALUES ('code_LRWgRIJxUJnBw8Nk', '873b6128029cc24954f1737f8f7e5ad1a804b633f1dee4b4c51374dc1ce789e5', '0D6Q', NULL, 500000000, 1, 0, 1795495109996, NULL, NULL, 'olga@example.com');
INSERT INTO "redemptions" ("code", "account", "entry") VALUES ('code_W5MgEUFv2XgWrNtp', 'acc_9gsF5YWHA3gIHEgC', 4);
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (1, 1795495105537, 'command', NULL, 'command line', 'account.create', 'acc_4yjdvHI6mVuurzLu', 'acc_4yjdvHI6mVuurzLu', NULL, '{"id":"acc_4yjdvHI6mVuurzLu","name":"demo","created_at":"2026-11-24T04:38:25.536Z","balance":"0","stores_content":false}', NULL, '0000000000000000000000000000000000000000000000000000000000000000', '7d32a9f0d9564c67c9bf5a54291de6140a2b324a5a4f47ba10d382128dc4ef49');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (2, 1795495105538, 'command', NULL, 'command line', 'account.entry', 'acc_4yjdvHI6mVuurzLu', 'acc_4yjdvHI6mVuurzLu', NULL, '{"kind":"grant","amount":"10","note":"credits to begin with"}', NULL, '7d32a9f0d9564c67c9bf5a54291de6140a2b324a5a4f47ba10d382128dc4ef49', 'e684377992f58e52a2f9fd92d94393bb5397d9e419be872a7e7aa66378e58220');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (3, 1795495105540, 'command', NULL, 'command line', 'key.create', 'acc_4yjdvHI6mVuurzLu', 'key_Kiv8W2aFvSHmJsWf', NULL, '{"id":"key_Kiv8W2aFvSHmJsWf","name":"first key","models":null,"budget":null,"daily_budget":null,"monthly_budget":null,"requests_per_minute":null,"tokens_per_minute":null,"expires_at":null}', NULL, 'e684377992f58e52a2f9fd92d94393bb5397d9e419be872a7e7aa66378e58220', '67fd09152fdfc629b30b41f7d0246c895f68493c3007841e65f3dffb90c4a553');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (4, 1795495106255, 'command', NULL, 'command line', 'account.create', 'acc_9gsF5YWHA3gIHEgC', 'acc_9gsF5YWHA3gIHEgC', NULL, '{"id":"acc_9gsF5YWHA3gIHEgC","name":"acme","created_at":"2026-11-24T04:38:26.255Z","balance":"0","stores_content":false}', NULL, '67fd09152fdfc629b30b41f7d0246c895f68493c3007841e65f3dffb90c4a553', 'c7e87aed1c3513b4623b7d6cd6c2ebe6cff389d987692618825c2fbf441af714');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (5, 1795495106271, 'command', NULL, 'command line', 'account.entry', 'acc_9gsF5YWHA3gIHEgC', 'acc_9gsF5YWHA3gIHEgC', NULL, '{"kind":"grant","amount":"5.123456789","note":"credits to begin with"}', NULL, 'c7e87aed1c3513b4623b7d6cd6c2ebe6cff389d987692618825c2fbf441af714', '22682e3284e2767c10bdf3c463bf1987911fff28d8097053825453810497beca');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (6, 1795495106701, 'command', NULL, 'command line', 'key.create', 'acc_9gsF5YWHA3gIHEgC', 'key_uT6lDnzvr1m4XCnd', NULL, '{"id":"key_uT6lDnzvr1m4XCnd","name":"backend","models":["sandbox/*","sim/*"],"budget":"2","daily_budget":null,"monthly_budget":null,"requests_per_minute":600,"tokens_per_minute":null,"expires_at":null}', NULL, '22682e3284e2767c10bdf3c463bf1987911fff28d8097053825453810497beca', 'eedd16c9eba995ff8b1b471696a1ef0ff6afcb8bf400b4afc64c98daf10ee4ec');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (7, 1795495107099, 'command', NULL, 'command line', 'account.entry', 'acc_9gsF5YWHA3gIHEgC', 'acc_9gsF5YWHA3gIHEgC', NULL, '{"kind":"adjustment","amount":"-0.25","note":"too much"}', NULL, 'eedd16c9eba995ff8b1b471696a1ef0ff6afcb8bf400b4afc64c98daf10ee4ec', 'a49b32acb8e45475f33a20b551fd13d721929b4fd79f9e597148f1984675ccec');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (8, 1795495107486, 'command', NULL, 'command line', 'account.entry', 'acc_9gsF5YWHA3gIHEgC', 'acc_9gsF5YWHA3gIHEgC', NULL, '{"kind":"refund","amount":"0.1","note":"sorry"}', NULL, 'a49b32acb8e45475f33a20b551fd13d721929b4fd79f9e597148f1984675ccec', '8c785245cca5c5157bcbb77c4644d124720fb646a58aca2b324ada5ce0213e09');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (9, 1795495109156, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'user.setup', NULL, 'user_c41c4591216d4d689b219bcd9a3fa590', NULL, '{"name":"Olga","email":"olga@example.com","is_operator":true}', '127.0.0.1', '8c785245cca5c5157bcbb77c4644d124720fb646a58aca2b324ada5ce0213e09', 'e245efd51eee9004c9cf2b3f3642e47cdc05efa35451d4454c5ca3108c79ba63');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (10, 1795495109157, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'member.join', 'acc_4yjdvHI6mVuurzLu', 'mem_fw2FnLPMFfshhG98', NULL, '{"user":"user_c41c4591216d4d689b219bcd9a3fa590","email":"olga@example.com","role":"owner"}', '127.0.0.1', 'e245efd51eee9004c9cf2b3f3642e47cdc05efa35451d4454c5ca3108c79ba63', '90d3dfcbda753b3775170ef6b15d8ed36f7e866abb8fe6680031c88cbf48cd2d');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (11, 1795495109623, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'session.begin', NULL, 'session_b431da34614443018d0c9710064b432d', NULL, '{"way":"password"}', '127.0.0.1', '90d3dfcbda753b3775170ef6b15d8ed36f7e866abb8fe6680031c88cbf48cd2d', '703f6fc4474e1e2d60a18d0b9cbe3ddb275be7277f74e09fc8d7f29e7e30b3df');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (12, 1795495109773, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'user.two_factor', NULL, 'user_c41c4591216d4d689b219bcd9a3fa590', NULL, '{"on":true}', '127.0.0.1', '703f6fc4474e1e2d60a18d0b9cbe3ddb275be7277f74e09fc8d7f29e7e30b3df', '7ed0edd850c3cd5ae37f3698aceff1e14f7627a2b2ed88da22b592048a72a1aa');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (13, 1795495109778, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'invitation.create', 'acc_9gsF5YWHA3gIHEgC', 'inv_BTQ27nNTYfC64Os2', NULL, '{"id":"inv_BTQ27nNTYfC64Os2","account":"acc_9gsF5YWHA3gIHEgC","account_name":"acme","email":"mia@example.com","role":"member","invited_by":"olga@example.com","created_at":"2026-11-24T04:38:29.777Z","expires_at":"2026-12-01T04:38:29.777Z"}', '127.0.0.1', '7ed0edd850c3cd5ae37f3698aceff1e14f7627a2b2ed88da22b592048a72a1aa', '20f154fce2c612f14063f68b5bc7538bfae6a90e03ea386fcfdef115bf6c3bf9');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (14, 1795495109838, 'user', 'user_a2e58952e14548c6874cc684effd47f6', 'mia@example.com', 'member.join', 'acc_9gsF5YWHA3gIHEgC', 'mem_FAlyyA5CJq3FBfU8', NULL, '{"user":"user_a2e58952e14548c6874cc684effd47f6","email":"mia@example.com","role":"member","invitation":"inv_BTQ27nNTYfC64Os2"}', '127.0.0.1', '20f154fce2c612f14063f68b5bc7538bfae6a90e03ea386fcfdef115bf6c3bf9', '7d0133db8618d513ecaf61d4f576004634bbcfb1e54648f717faeb24920677ec');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (15, 1795495109958, 'user', 'user_a2e58952e14548c6874cc684effd47f6', 'mia@example.com', 'session.begin', NULL, 'session_1ab5308d4ff843b4a3cf12649c198f56', NULL, '{"way":"password"}', '127.0.0.1', '7d0133db8618d513ecaf61d4f576004634bbcfb1e54648f717faeb24920677ec', 'ea5bcba9f5ae4cd92c30d5ac01d0e29d73dd97b27415f31feb4c001f0364b7f3');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (16, 1795495109966, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'account.change', 'acc_9gsF5YWHA3gIHEgC', 'acc_9gsF5YWHA3gIHEgC', '{"id":"acc_9gsF5YWHA3gIHEgC","name":"acme","created_at":"2026-11-24T04:38:26.255Z","balance":"4.973456789","stores_content":false}', '{"id":"acc_9gsF5YWHA3gIHEgC","name":"acme","created_at":"2026-11-24T04:38:26.255Z","balance":"4.973456789","stores_content":true}', '127.0.0.1', 'ea5bcba9f5ae4cd92c30d5ac01d0e29d73dd97b27415f31feb4c001f0364b7f3', '41b6f80fb397653064f5294b074be1e90be6f4871dea67c13354b299adf75758');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (17, 1795495109992, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'code.create', NULL, 'code_W5MgEUFv2XgWrNtp', NULL, '{"id":"code_W5MgEUFv2XgWrNtp","hint":"AC3H","note":null,"credits":"1.5","uses":1,"used":0,"status":"active","created_at":"2026-11-24T04:38:29.991Z","expires_at":null,"author":"olga@example.com"}', '127.0.0.1', '41b6f80fb397653064f5294b074be1e90be6f4871dea67c13354b299adf75758', '0e1414d5a74eef8313b853e9cab07b6dbfc3fb05b99e517e7b2f6cbeb1bc90e1');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (18, 1795495109996, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'code.create', NULL, 'code_LRWgRIJxUJnBw8Nk', NULL, '{"id":"code_LRWgRIJxUJnBw8Nk","hint":"0D6Q","note":null,"credits":"0.5","uses":1,"used":0,"status":"active","created_at":"2026-11-24T04:38:29.996Z","expires_at":null,"author":"olga@example.com"}', '127.0.0.1', '0e1414d5a74eef8313b853e9cab07b6dbfc3fb05b99e517e7b2f6cbeb1bc90e1', 'fc72c99f65c6e6685cd55f21a1f234ae36b5d8e802532809efe22bb8cb878263');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (19, 1795495110008, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'account.redeem', 'acc_9gsF5YWHA3gIHEgC', 'acc_9gsF5YWHA3gIHEgC', NULL, '{"code":"...AC3H"}', '127.0.0.1', 'fc72c99f65c6e6685cd55f21a1f234ae36b5d8e802532809efe22bb8cb878263', 'df03ba380380e6242768057f5c30756bef077a2d3eccfe4ec6f90d3ac7beb27b');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (20, 1795495110044, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'settings.change', NULL, NULL, '{"limits.body_mb":null}', '{"limits.body_mb":"12"}', '127.0.0.1', 'df03ba380380e6242768057f5c30756bef077a2d3eccfe4ec6f90d3ac7beb27b', '50c3f0cebbf553188adada1a343175a954a217866f52ef8a2d130d3c9288a03a');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (21, 1795495110062, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'key.change', 'acc_9gsF5YWHA3gIHEgC', 'key_uT6lDnzvr1m4XCnd', '{"name":"backend","models":["sandbox/*","sim/*"],"budget":"2","daily_budget":null,"monthly_budget":null,"requests_per_minute":600,"tokens_per_minute":null,"expires_at":null}', '{"name":"backend","models":["sandbox/*","sim/*"],"budget":"2","daily_budget":null,"monthly_budget":"3","requests_per_minute":600,"tokens_per_minute":null,"expires_at":null}', '127.0.0.1', '50c3f0cebbf553188adada1a343175a954a217866f52ef8a2d130d3c9288a03a', 'ba6cf23a3054179bd4105a0276932a0590604b16a33789f2a3a15ab32560d6bb');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (22, 1795495111379, 'user', 'user_c41c4591216d4d689b219bcd9a3fa590', 'olga@example.com', 'provider.create', NULL, 'mine', NULL, '{"id":"mine","vendor":"openai-compatible","base_url":"http://127.0.0.1:9/v1","secrets":["api_key"]}', '127.0.0.1', 'ba6cf23a3054179bd4105a0276932a0590604b16a33789f2a3a15ab32560d6bb', '67e562c97906e5930dd5a9e8106e970b85abd7220ab575b7d91e98910a25e8fb');
INSERT INTO "members" ("id", "account", "user_id", "role", "joined_at") VALUES ('mem_fw2FnLPMFfshhG98', 'acc_4yjdvHI6mVuurzLu', 'user_c41c4591216d4d689b219bcd9a3fa590', 'owner', 1795495109157);
INSERT INTO "members" ("id", "account", "user_id", "role", "joined_at") VALUES ('mem_FAlyyA5CJq3FBfU8', 'acc_9gsF5YWHA3gIHEgC', 'user_a2e58952e14548c6874cc684effd47f6', 'member', 1795495109838);
INSERT INTO "invitations" ("id", "account", "email", "role", "token_hash", "invited_by", "created_at", "expires_at", "accepted_at") VALUES ('inv_BTQ27nNTYfC64Os2', 'acc_9gsF5YWHA3gIHEgC', 'mia@example.com', 'member', '13791f885cb837329dc1151449153ad65350550b0610dad24df7d7f8a78bfae6', 'olga@example.com', 1795495109777, 1796099909777, 1795495109838);
INSERT INTO "console_settings" ("section", "id", "body", "sealed", "revision", "changed_at") VALUES ('provider', 'mine', '{"vendor":"openai-compatible","base_url":"http://127.0.0.1:9/v1"}', '1.P80gp4t184i/JNLVVTm6Yfc+Q46rD08DHzYf1NYWYT1GrjRiCM0J4dA+8fJr3rjUyPts7/oxrQlogQ==', 2, 1795495111379);
INSERT INTO "console_settings" ("section", "id", "body", "sealed", "revision", "changed_at") VALUES ('setting', 'limits.body_mb', '"12"', NULL, 1, 1795495110044);
INSERT INTO "settings_revision" ("number") VALUES (2);
CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX key_secrets_by_key ON key_secrets (key);
CREATE UNIQUE INDEX entries_by_number ON entries (account, number);
CREATE UNIQUE INDEX entries_by_request ON entries (request) WHERE request IS NOT NULL;
CREATE INDEX entries_by_kind ON entries (account, kind, number)
  WHERE number IS NOT NULL AND kind <> 'charge';
CREATE INDEX holds_by_account ON holds (account);
CREATE INDEX codes_by_time ON codes (created_at, id);
CREATE INDEX audit_by_account ON audit (account, number);
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit record is never changed'); END;
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit record is never deleted'); END;
CREATE TRIGGER audit_only_grows BEFORE INSERT ON audit
WHEN NEW.number IS NOT 1 + coalesce((SELECT max(number) FROM audit), 0)
BEGIN SELECT RAISE(ABORT, 'an audit record is the next one'); END;
CREATE INDEX members_by_user ON members (user_id);
CREATE INDEX members_by_time ON members (joined_at, id);
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_time ON invitations (created_at, id);
PRAGMA user_version = 6;
