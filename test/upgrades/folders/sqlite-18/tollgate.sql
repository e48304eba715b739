CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
, stores_content INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'closed')), limits TEXT NOT NULL DEFAULT '{}') STRICT;
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
, daily_budget INTEGER, monthly_budget INTEGER, origins TEXT, aliases TEXT, concurrent_requests INTEGER, paused_at INTEGER) STRICT;
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
, machine TEXT, memory TEXT) STRICT, WITHOUT ROWID;
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
  receipt TEXT, budgets INTEGER NOT NULL DEFAULT 0, replaced TEXT,
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
CREATE TABLE write_offs (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  account TEXT NOT NULL REFERENCES accounts (id),
  key TEXT NOT NULL,
  request TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  reason TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (request, reason)
) STRICT;
CREATE TABLE anchor (
  last_row INTEGER NOT NULL,
  last_hash TEXT,
  row_count INTEGER NOT NULL,
  hash_sum TEXT NOT NULL,
  at INTEGER NOT NULL,
  write_offs INTEGER NOT NULL,
  write_offs_hash TEXT NOT NULL,
  audit INTEGER NOT NULL,
  audit_hash TEXT NOT NULL
) STRICT;
CREATE TABLE vendor_state (
  number INTEGER PRIMARY KEY,
  id_hash TEXT NOT NULL,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  account TEXT NOT NULL,
  request TEXT NOT NULL,
  tokens INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (id_hash, provider)
) STRICT;
CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  request TEXT NOT NULL UNIQUE,
  node TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  rights TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'kept')),
  size INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency_totals (
  scope TEXT PRIMARY KEY,
  keys INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE debts (
  account TEXT NOT NULL REFERENCES accounts (id),
  number INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  debt INTEGER NOT NULL CHECK (debt >= 0),
  at INTEGER NOT NULL,
  note TEXT NOT NULL,
  -- The entry of the book that paid.
  entry INTEGER,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (account, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE card_payments (
  intent TEXT PRIMARY KEY,
  payment TEXT NOT NULL REFERENCES payments (id),
  account TEXT NOT NULL REFERENCES accounts (id),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  units INTEGER NOT NULL CHECK (units >= 0),
  currency TEXT NOT NULL,
  taken INTEGER NOT NULL DEFAULT 0 CHECK (taken >= 0 AND taken <= amount)
) STRICT, WITHOUT ROWID;
CREATE TABLE reversals (
  id TEXT PRIMARY KEY,
  intent TEXT NOT NULL REFERENCES card_payments (intent),
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund', 'dispute')),
  units INTEGER NOT NULL CHECK (units >= 0),
  is_undone INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE deployment_reports (
  deployment TEXT NOT NULL,
  event TEXT NOT NULL,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (deployment, event)
) STRICT, WITHOUT ROWID;
CREATE TABLE deployment_revision (number INTEGER NOT NULL) STRICT;
CREATE TABLE rate_buckets (
  key TEXT NOT NULL,
  unit TEXT NOT NULL,
  level REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (key, unit)
) STRICT, WITHOUT ROWID;
CREATE TABLE seal (
  until INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  hash_sum TEXT NOT NULL,
  last_row INTEGER NOT NULL,
  scanned INTEGER NOT NULL
) STRICT;
CREATE TABLE account_seals (
  account TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  balance INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sealed_budgets (owner TEXT PRIMARY KEY, spent INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE sealed_hours (
  hour INTEGER NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  outcome TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  written_off INTEGER NOT NULL,
  durations INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  first_bytes INTEGER NOT NULL,
  first_byte INTEGER NOT NULL,
  PRIMARY KEY (hour, account, key, model, provider, outcome)
) STRICT, WITHOUT ROWID;
CREATE TABLE sealed_key_uses (
  key TEXT PRIMARY KEY,
  last_used_at INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  spent INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE notice_targets (
  id TEXT PRIMARY KEY,
  -- Null: the operator's.
  account TEXT REFERENCES accounts (id),
  channel TEXT NOT NULL CHECK (channel IN ('webhook', 'slack', 'mail')),
  hint TEXT NOT NULL,
  sealed TEXT NOT NULL,
  -- JSON; null: all.
  types TEXT,
  balance_below INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE notices (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  -- Null: for the operator only.
  account TEXT,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE TABLE notice_deliveries (
  notice TEXT NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  at INTEGER NOT NULL,
  error TEXT,
  PRIMARY KEY (notice, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE notice_marks (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "accounts" ("id", "name", "created_at", "stores_content", "state", "limits") VALUES ('acc_Ies8awyWyec70WO6', 'demo', 1795495186755, 0, 'active', '{}');
INSERT INTO "accounts" ("id", "name", "created_at", "stores_content", "state", "limits") VALUES ('acc_scG2mgJpTNI860na', 'acme', 1795495187775, 1, 'active', '{}');
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('acc_Ies8awyWyec70WO6', 10000000000, 0, NULL);
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('acc_scG2mgJpTNI860na', 6473448199, 6473448199, NULL);
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('key_5ypXu7ICVEOesWHZ', 1999991410, 1999991410, 2000000000);
INSERT INTO "balances" ("owner", "posted", "leased", "allotted") VALUES ('key_5ypXu7ICVEOesWHZ@2026-11', 2999991410, 2999991410, 3000000000);
INSERT INTO "keys" ("id", "account", "name", "models", "budget", "requests_per_minute", "tokens_per_minute", "created_at", "expires_at", "revoked_at", "revision", "daily_budget", "monthly_budget", "origins", "aliases", "concurrent_requests", "paused_at") VALUES ('key_pUJWyBVbAb2lxnte', 'acc_Ies8awyWyec70WO6', 'first key', NULL, NULL, NULL, NULL, 1795495186758, NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "keys" ("id", "account", "name", "models", "budget", "requests_per_minute", "tokens_per_minute", "created_at", "expires_at", "revoked_at", "revision", "daily_budget", "monthly_budget", "origins", "aliases", "concurrent_requests", "paused_at") VALUES ('key_5ypXu7ICVEOesWHZ', 'acc_scG2mgJpTNI860na', 'backend', '["sandbox/*","sim/*"]', 2000000000, 600, NULL, 1795495188089, NULL, NULL, 4, NULL, 3000000000, NULL, NULL, NULL, NULL);
INSERT INTO "key_secrets" ("hash", "key", "hint", "created_at", "expires_at") VALUES ('33a97d2f3425f9923eb2b32ff667d20b577a5edaa34373c3c826a38c98a8da24', 'key_5ypXu7ICVEOesWHZ', 'UTTn', 1795495188089, NULL);
INSERT INTO "key_secrets" ("hash", "key", "hint", "created_at", "expires_at") VALUES ('d204eb58cf30cac2d1de70e6c02de9ed526cb29e7fc3880090a91df8b493057e', 'key_pUJWyBVbAb2lxnte', '3Y9l', 1795495186758, NULL);
INSERT INTO "nodes" ("id", "process", "host", "beat_at", "machine", "memory") VALUES ('node_aHTmLtxwV6A12UDP', 6337, 'vm', 1795495191972, 'ca7e66ab-374d-4e4d-85be-c94b1dde90fe', 'baeadfa711921461');
INSERT INTO "leases" ("owner", "node", "amount") VALUES ('acc_scG2mgJpTNI860na', 'node_aHTmLtxwV6A12UDP', 6473448199);
INSERT INTO "leases" ("owner", "node", "amount") VALUES ('key_5ypXu7ICVEOesWHZ', 'node_aHTmLtxwV6A12UDP', 1999991410);
INSERT INTO "leases" ("owner", "node", "amount") VALUES ('key_5ypXu7ICVEOesWHZ@2026-11', 'node_aHTmLtxwV6A12UDP', 2999991410);
INSERT INTO "holds" ("request", "node", "account", "key", "amount", "at", "receipt") VALUES ('req_01a20bda-670d-74f4-83e9-424696e9c81e', 'node_aHTmLtxwV6A12UDP', 'acc_scG2mgJpTNI860na', 'key_5ypXu7ICVEOesWHZ', 9848400, 1795495192333, '{"status":"expired","first_byte_ms":null,"duration_ms":259,"endpoint":"/v1/chat/completions","model":"sandbox/fault-stall","stream":false,"deployment":null,"usage":null,"estimated":false,"price":null,"arithmetic":null,"cost":"0","hold":"0.0098484","attempts":[{"deployment":"sandbox/fault-stall","status":200,"outcome":"ok","duration":0}],"losses":[]}');
INSERT INTO "revision" ("number") VALUES (4);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_Ies8awyWyec70WO6', 1, 'grant', 10000000000, 10000000000, 1795495186757, NULL, 'credits to begin with', 'command line', NULL, '0000000000000000000000000000000000000000000000000000000000000000', '18b34242c8d29c9fdeeeae95f293acfed4bdf5084dab68d8fa92f269d741b398', NULL, NULL, 0, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', 1, 'grant', 5123456789, 5123456789, 1795495187777, NULL, 'credits to begin with', 'command line', NULL, '0000000000000000000000000000000000000000000000000000000000000000', '52895f02d96410513cd5f4db1fe965f9f7f651169fa7bdcc5b40a8d196c2382d', NULL, NULL, 0, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', 2, 'adjustment', -250000000, 4873456789, 1795495188382, NULL, 'too much', 'command line', NULL, '52895f02d96410513cd5f4db1fe965f9f7f651169fa7bdcc5b40a8d196c2382d', '35e8c2b8bbb9993e03c68cbd16e4a049627c7a43d9c9d9301b8276fa2090648c', NULL, NULL, 0, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', 3, 'refund', 100000000, 4973456789, 1795495188798, NULL, 'sorry', 'command line', NULL, '35e8c2b8bbb9993e03c68cbd16e4a049627c7a43d9c9d9301b8276fa2090648c', 'f6dde7939c18249f62c78f3691b45cd454535aa81ee0d2ddf0ed372d51f753b2', NULL, NULL, 0, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', 4, 'code', 1500000000, 6473456789, 1795495190899, NULL, 'code_VvsJeOhE1QEGjKRF', 'olga@example.com', NULL, 'f6dde7939c18249f62c78f3691b45cd454535aa81ee0d2ddf0ed372d51f753b2', '00e3a9260cf4301c39d4beb1f7e8c833e4331281baf60258246b0a2feff86f7d', NULL, NULL, 0, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', 5, 'charge', -6150, 6473450639, 1795495192234, 'req_01a20bda-6695-74ef-8ce4-0c7dfe5dc52a', NULL, NULL, '4be90dc2139345f50f3721951d91ea99c29f3747a1af5c03fbf88164d560973f', '00e3a9260cf4301c39d4beb1f7e8c833e4331281baf60258246b0a2feff86f7d', '532ad63439920f2fe401eff217e347ebd30f5415acc561c6cd5d728b65befcf7', 'key_5ypXu7ICVEOesWHZ', '{"status":"settled","first_byte_ms":null,"duration_ms":41,"endpoint":"/v1/chat/completions","model":"sandbox/echo","stream":false,"deployment":"sandbox/echo","usage":{"input":13,"output":7},"estimated":false,"price":{"per_million":{"input":"0.15","cached_input":"0.075","cache_write":"0.1875","output":"0.6"},"multiplier":"1"},"arithmetic":[{"class":"input","quantity":13,"per_million":"0.15"},{"class":"output","quantity":7,"per_million":"0.6"}],"cost":"0.00000615","hold":"0.009849713","attempts":[{"deployment":"sandbox/echo","status":200,"outcome":"ok","duration":9}],"losses":[]}', 5, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', 6, 'charge', -2400, 6473448239, 1795495192268, 'req_01a20bda-66cb-7446-aac6-ffb4aab1798b', NULL, NULL, 'acbbc39bd8883b078db6f0993be02d83811f6ab1df36aba773e7572e44f8512e', '532ad63439920f2fe401eff217e347ebd30f5415acc561c6cd5d728b65befcf7', '0ff3a5d49be4c2c19ea68e33da367c9bea8d4b2c011ba7892c43c60e5a1136ee', 'key_5ypXu7ICVEOesWHZ', '{"status":"settled","first_byte_ms":12,"duration_ms":14,"endpoint":"/v1/chat/completions","model":"sandbox/claude","stream":true,"deployment":"sandbox-claude/echo","usage":{"input":8,"output":2},"estimated":false,"price":{"per_million":{"input":"0.15","cached_input":"0.075","cache_write":"0.1875","output":"0.6"},"multiplier":"1"},"arithmetic":[{"class":"input","quantity":8,"per_million":"0.15"},{"class":"output","quantity":2,"per_million":"0.6"}],"cost":"0.0000024","hold":"0.0098499","attempts":[{"deployment":"sandbox-claude/echo","status":200,"outcome":"ok","duration":8}],"losses":[]}', 5, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', 7, 'charge', -40, 6473448199, 1795495192285, 'req_01a20bda-66dc-735c-b1b9-7f12acde3190', NULL, NULL, '7409c5dbf43ecf185a241c401b2c837aa480a5e165db8b8002d04c09dadf28fc', '0ff3a5d49be4c2c19ea68e33da367c9bea8d4b2c011ba7892c43c60e5a1136ee', '39a9f6afaf422126cd175cfb85db7d8b65f7d94e2cc9f951787aa6260ff92c20', 'key_5ypXu7ICVEOesWHZ', '{"status":"settled","first_byte_ms":null,"duration_ms":28,"endpoint":"/v1/embeddings","model":"sandbox/embed","stream":false,"deployment":"sandbox/embed","usage":{"input":2},"estimated":false,"price":{"per_million":{"input":"0.02"},"multiplier":"1"},"arithmetic":[{"class":"input","quantity":2,"per_million":"0.02"}],"cost":"0.00000004","hold":"0.00000094","attempts":[{"deployment":"sandbox/embed","status":200,"outcome":"ok","duration":23}],"losses":[]}', 5, NULL);
INSERT INTO "entries" ("account", "number", "kind", "amount", "balance", "at", "request", "note", "author", "receipt_hash", "previous_hash", "hash", "key", "receipt", "budgets", "replaced") VALUES ('acc_scG2mgJpTNI860na', NULL, NULL, NULL, NULL, 1795495192315, 'req_01a20bda-66fb-7313-b879-1295a44c2cd3', NULL, NULL, NULL, NULL, '3fe72f6db5f1a16056cfa3bcbbfb1ec43bf704f654797694f160c381f51987b4', 'key_5ypXu7ICVEOesWHZ', '{"status":"released","first_byte_ms":null,"duration_ms":8,"endpoint":"/v1/chat/completions","model":"sandbox/fault-500","stream":false,"deployment":null,"usage":null,"estimated":false,"price":null,"arithmetic":null,"cost":"0","hold":"0.009847463","attempts":[{"deployment":"sandbox/fault-500","status":500,"outcome":"upstream_error","duration":6}],"losses":[]}', 0, NULL);
INSERT INTO "codes" ("id", "hash", "hint", "note", "amount", "uses", "used", "created_at", "expires_at", "revoked_at", "author") VALUES ('code_VvsJeOhE1QEGjKRF', '7519c18be59394f5ffa841822a3f0907dc1f613e55b29872c2508e97d4257999', '71ZT', NULL, 1500000000, 1, 1, 1795495190859, NULL, NULL, 'olga@example.com');
INSERT INTO "codes" ("id", "hash", "hint", "note", "amount", "uses", "used", "created_at", "expires_at", "revoked_at", "author") VALUES ('code_8ySYhNOFnvDVGE4E', '30522af22a9e5ae8beb10ea6e0a44f0cf07e90053c2b262e37e6b38b626a036c', '3KA0', NULL, 500000000, 1, 0, 1795495190884, NULL, NULL, 'olga@example.com');
INSERT INTO "redemptions" ("code", "account", "entry") VALUES ('code_VvsJeOhE1QEGjKRF', 'acc_scG2mgJpTNI860na', 4);
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (1, 1795495186756, 'command', NULL, 'command line', 'account.create', 'acc_Ies8awyWyec70WO6', 'acc_Ies8awyWyec70WO6', NULL, '{"id":"acc_Ies8awyWyec70WO6","name":"demo","created_at":"2026-11-24T04:39:46.755Z","balance":"0","debt":"0","stores_content":false,"state":"active","models":null,"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"max_keys":null}', NULL, '0000000000000000000000000000000000000000000000000000000000000000', 'f1faed8fd2dbe52396b350194a9bbbe618b8556c17263034d6cb4a640a34bc10');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (2, 1795495186757, 'command', NULL, 'command line', 'account.entry', 'acc_Ies8awyWyec70WO6', 'acc_Ies8awyWyec70WO6', NULL, '{"kind":"grant","amount":"10","note":"credits to begin with"}', NULL, 'f1faed8fd2dbe52396b350194a9bbbe618b8556c17263034d6cb4a640a34bc10', '79cc5b1e879f89a98282f02903fecb393073f8bf39a6c3bd471234b49fc0cc50');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (3, 1795495186759, 'command', NULL, 'command line', 'key.create', 'acc_Ies8awyWyec70WO6', 'key_pUJWyBVbAb2lxnte', NULL, '{"id":"key_pUJWyBVbAb2lxnte","name":"first key","is_paused":false,"models":null,"aliases":null,"budget":null,"daily_budget":null,"monthly_budget":null,"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"expires_at":null,"origins":null}', NULL, '79cc5b1e879f89a98282f02903fecb393073f8bf39a6c3bd471234b49fc0cc50', 'b1531949aa3fe0f58871249943a991c1d3b190df5abf4cce9c0199280666a96e');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (4, 1795495187775, 'command', NULL, 'command line', 'account.create', 'acc_scG2mgJpTNI860na', 'acc_scG2mgJpTNI860na', NULL, '{"id":"acc_scG2mgJpTNI860na","name":"acme","created_at":"2026-11-24T04:39:47.775Z","balance":"0","debt":"0","stores_content":false,"state":"active","models":null,"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"max_keys":null}', NULL, 'b1531949aa3fe0f58871249943a991c1d3b190df5abf4cce9c0199280666a96e', '9c7a9a6769e83728b5146d11fb60b0dbeb544bac047dac670198072664aab619');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (5, 1795495187776, 'command', NULL, 'command line', 'account.entry', 'acc_scG2mgJpTNI860na', 'acc_scG2mgJpTNI860na', NULL, '{"kind":"grant","amount":"5.123456789","note":"credits to begin with"}', NULL, '9c7a9a6769e83728b5146d11fb60b0dbeb544bac047dac670198072664aab619', 'eb0545bf8c67f639afe603f4db4239510f474bfd12f87165ff5edd440235f39e');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (6, 1795495188090, 'command', NULL, 'command line', 'key.create', 'acc_scG2mgJpTNI860na', 'key_5ypXu7ICVEOesWHZ', NULL, '{"id":"key_5ypXu7ICVEOesWHZ","name":"backend","is_paused":false,"models":["sandbox/*","sim/*"],"aliases":null,"budget":"2","daily_budget":null,"monthly_budget":null,"requests_per_minute":600,"tokens_per_minute":null,"concurrent_requests":null,"expires_at":null,"origins":null}', NULL, 'eb0545bf8c67f639afe603f4db4239510f474bfd12f87165ff5edd440235f39e', 'fc001e27c36e3dc0cbf4fb9fad3754c2ce41aa1e601c3e37491b16c1aaf24ed8');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (7, 1795495188387, 'command', NULL, 'command line', 'account.entry', 'acc_scG2mgJpTNI860na', 'acc_scG2mgJpTNI860na', NULL, '{"kind":"adjustment","amount":"-0.25","note":"too much"}', NULL, 'fc001e27c36e3dc0cbf4fb9fad3754c2ce41aa1e601c3e37491b16c1aaf24ed8', '93bb74eb818cb592cf818732d2afc45648bb8cba2d37f308b6ba43053eec23e2');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (8, 1795495188798, 'command', NULL, 'command line', 'account.entry', 'acc_scG2mgJpTNI860na', 'acc_scG2mgJpTNI860na', NULL, '{"kind":"refund","amount":"0.1","note":"sorry"}', NULL, '93bb74eb818cb592cf818732d2afc45648bb8cba2d37f308b6ba43053eec23e2', '85a9d6a47b53be643b98555860f1a883ca3304bd0bc3805e00d4809f80b5d5f8');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (9, 1795495190495, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'user.setup', NULL, 'user_6476334e9dc64d6eba9cf13887f67481', NULL, '{"name":"Olga","email":"olga@example.com","is_operator":true}', '127.0.0.1', '85a9d6a47b53be643b98555860f1a883ca3304bd0bc3805e00d4809f80b5d5f8', '4956034bebe19fafb572ff93278d73b2320d4f226511eb59ce6f48556155aa0c');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (10, 1795495190496, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'member.join', 'acc_Ies8awyWyec70WO6', 'mem_9BdwEa5dZL9cTWOI', NULL, '{"user":"user_6476334e9dc64d6eba9cf13887f67481","email":"olga@example.com","role":"owner"}', '127.0.0.1', '4956034bebe19fafb572ff93278d73b2320d4f226511eb59ce6f48556155aa0c', '2c824cabb2118cb6dadbca929adbf035bcaf35a8c6c626e75598b934100822ec');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (11, 1795495190587, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'session.begin', NULL, 'session_2147560384cb460ca6475fa33286ff63', NULL, '{"way":"password"}', '127.0.0.1', '2c824cabb2118cb6dadbca929adbf035bcaf35a8c6c626e75598b934100822ec', '3d262d9bab165ebd1ea31a9072d86c30540cd5b3d3bb6bff1920b1471799a205');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (12, 1795495190726, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'user.two_factor', NULL, 'user_6476334e9dc64d6eba9cf13887f67481', NULL, '{"on":true}', '127.0.0.1', '3d262d9bab165ebd1ea31a9072d86c30540cd5b3d3bb6bff1920b1471799a205', 'f14b66ce69885df84fe6ba741d5c9f87d9c9e5d7a67d84878a120bb2123c88a6');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (13, 1795495190730, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'invitation.create', 'acc_scG2mgJpTNI860na', 'inv_h3aA7HmP1kf5ywGQ', NULL, '{"id":"inv_h3aA7HmP1kf5ywGQ","account":"acc_scG2mgJpTNI860na","account_name":"acme","email":"mia@example.com","role":"member","invited_by":"olga@example.com","created_at":"2026-11-24T04:39:50.730Z","expires_at":"2026-12-01T04:39:50.730Z"}', '127.0.0.1', 'f14b66ce69885df84fe6ba741d5c9f87d9c9e5d7a67d84878a120bb2123c88a6', 'e5d39dfcfe8976e47e74910db17c4214b3168dc367500deb2b3c76098a984b43');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (14, 1795495190763, 'user', 'user_4aaf03ef5ec34480a1782f4901707b05', 'mia@example.com', 'member.join', 'acc_scG2mgJpTNI860na', 'mem_4sdGiaHvhSun3nmA', NULL, '{"user":"user_4aaf03ef5ec34480a1782f4901707b05","email":"mia@example.com","role":"member","invitation":"inv_h3aA7HmP1kf5ywGQ"}', '127.0.0.1', 'e5d39dfcfe8976e47e74910db17c4214b3168dc367500deb2b3c76098a984b43', '3502146523c8e3d05c8641667e19d39f81085bbafada669ec2212a0484829e75');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (15, 1795495190793, 'user', 'user_4aaf03ef5ec34480a1782f4901707b05', 'mia@example.com', 'session.begin', NULL, 'session_1856b2a9852344e0ab667e968e36ee66', NULL, '{"way":"password"}', '127.0.0.1', '3502146523c8e3d05c8641667e19d39f81085bbafada669ec2212a0484829e75', '943a8afb0a9d1e625bfc4fcd7639824dc08e30e6c15a40fcdc845af1d4e2d992');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (16, 1795495190797, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'account.change', 'acc_scG2mgJpTNI860na', 'acc_scG2mgJpTNI860na', '{"id":"acc_scG2mgJpTNI860na","name":"acme","created_at":"2026-11-24T04:39:47.775Z","balance":"4.973456789","debt":"0","stores_content":false,"state":"active","models":null,"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"max_keys":null}', '{"id":"acc_scG2mgJpTNI860na","name":"acme","created_at":"2026-11-24T04:39:47.775Z","balance":"4.973456789","debt":"0","stores_content":true,"state":"active","models":null,"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"max_keys":null}', '127.0.0.1', '943a8afb0a9d1e625bfc4fcd7639824dc08e30e6c15a40fcdc845af1d4e2d992', 'f361763cbd900163776a95559f72547dfefbc7d82da41e90a88b106fa8f224f4');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (17, 1795495190859, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'code.create', NULL, 'code_VvsJeOhE1QEGjKRF', NULL, '{"id":"code_VvsJeOhE1QEGjKRF","hint":"71ZT","note":null,"credits":"1.5","uses":1,"used":0,"status":"active","created_at":"2026-11-24T04:39:50.859Z","expires_at":null,"author":"olga@example.com"}', '127.0.0.1', 'f361763cbd900163776a95559f72547dfefbc7d82da41e90a88b106fa8f224f4', '811bba1239f34727f58f8ccbb0321854c5e375d9ae3465f8e9b1845edd69222a');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (18, 1795495190884, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'code.create', NULL, 'code_8ySYhNOFnvDVGE4E', NULL, '{"id":"code_8ySYhNOFnvDVGE4E","hint":"3KA0","note":null,"credits":"0.5","uses":1,"used":0,"status":"active","created_at":"2026-11-24T04:39:50.884Z","expires_at":null,"author":"olga@example.com"}', '127.0.0.1', '811bba1239f34727f58f8ccbb0321854c5e375d9ae3465f8e9b1845edd69222a', '2f1d529ac096c1c3b7ce58252fbd7ccff47032e55786b3a22870395c1d68fc34');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (19, 1795495190899, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'account.redeem', 'acc_scG2mgJpTNI860na', 'acc_scG2mgJpTNI860na', NULL, '{"code":"...71ZT"}', '127.0.0.1', '2f1d529ac096c1c3b7ce58252fbd7ccff47032e55786b3a22870395c1d68fc34', 'c17c060747624988725eb2e5dac9697446f308815d2f3c6202e892a48c6adc0b');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (20, 1795495190943, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'settings.change', NULL, NULL, '{"limits.body_mb":null}', '{"limits.body_mb":"12"}', '127.0.0.1', 'c17c060747624988725eb2e5dac9697446f308815d2f3c6202e892a48c6adc0b', '7c3b0d1f855c20de8447713f315354640cea3b097f45be2b807438d1bc342718');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (21, 1795495190966, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'key.change', 'acc_scG2mgJpTNI860na', 'key_5ypXu7ICVEOesWHZ', '{"name":"backend","is_paused":false,"models":["sandbox/*","sim/*"],"aliases":null,"budget":"2","daily_budget":null,"monthly_budget":null,"requests_per_minute":600,"tokens_per_minute":null,"concurrent_requests":null,"expires_at":null,"origins":null}', '{"name":"backend","is_paused":false,"models":["sandbox/*","sim/*"],"aliases":null,"budget":"2","daily_budget":null,"monthly_budget":"3","requests_per_minute":600,"tokens_per_minute":null,"concurrent_requests":null,"expires_at":null,"origins":null}', '127.0.0.1', '7c3b0d1f855c20de8447713f315354640cea3b097f45be2b807438d1bc342718', 'fe92bb0ed845cabb9b11dd673cbc71b4f60d0be9940477b368b6b7742250634b');
INSERT INTO "audit" ("number", "at", "actor_kind", "actor_id", "actor_name", "action", "account", "target", "before_body", "after_body", "address", "previous_hash", "hash") VALUES (22, 1795495193253, 'user', 'user_6476334e9dc64d6eba9cf13887f67481', 'olga@example.com', 'provider.create', NULL, 'mine', NULL, '{"id":"mine","vendor":"openai-compatible","base_url":"http://127.0.0.1:9/v1","secrets":["api_key"]}', '127.0.0.1', 'fe92bb0ed845cabb9b11dd673cbc71b4f60d0be9940477b368b6b7742250634b', 'c19dfcb0fe429e92cda157db8227312ee60b362d6a74fe3f23e92e26abe34b50');
INSERT INTO "members" ("id", "account", "user_id", "role", "joined_at") VALUES ('mem_9BdwEa5dZL9cTWOI', 'acc_Ies8awyWyec70WO6', 'user_6476334e9dc64d6eba9cf13887f67481', 'owner', 1795495190496);
INSERT INTO "members" ("id", "account", "user_id", "role", "joined_at") VALUES ('mem_4sdGiaHvhSun3nmA', 'acc_scG2mgJpTNI860na', 'user_4aaf03ef5ec34480a1782f4901707b05', 'member', 1795495190763);
INSERT INTO "invitations" ("id", "account", "email", "role", "token_hash", "invited_by", "created_at", "expires_at", "accepted_at") VALUES ('inv_h3aA7HmP1kf5ywGQ', 'acc_scG2mgJpTNI860na', 'mia@example.com', 'member', '433b26260f1f117c142d4f64fa092052e33c6de1de78d88eccf6b3d17a5e3adb', 'olga@example.com', 1795495190730, 1796099990730, 1795495190763);
INSERT INTO "console_settings" ("section", "id", "body", "sealed", "revision", "changed_at") VALUES ('provider', 'mine', '{"vendor":"openai-compatible","base_url":"http://127.0.0.1:9/v1"}', '1.bCabCxTjZ0r5KgchVFSfsc14NUXfgJnSBWIwIP3/TUN5F0m4RQI3W81ihvSQeQkccDqFzjmOhLzoKQ==', 2, 1795495193253);
INSERT INTO "console_settings" ("section", "id", "body", "sealed", "revision", "changed_at") VALUES ('setting', 'limits.body_mb', '"12"', NULL, 1, 1795495190943);
INSERT INTO "settings_revision" ("number") VALUES (2);
INSERT INTO "anchor" ("last_row", "last_hash", "row_count", "hash_sum", "at", "write_offs", "write_offs_hash", "audit", "audit_hash") VALUES (9, '3fe72f6db5f1a16056cfa3bcbbfb1ec43bf704f654797694f160c381f51987b4', 9, '759696de41a72f6362b6fcf4e6ef3921c742ab12d0184e41ea2af5d49566fb39', 1795495192078, 0, '0000000000000000000000000000000000000000000000000000000000000000', 21, 'fe92bb0ed845cabb9b11dd673cbc71b4f60d0be9940477b368b6b7742250634b');
INSERT INTO "deployment_revision" ("number") VALUES (0);
INSERT INTO "seal" ("until", "row_count", "hash_sum", "last_row", "scanned") VALUES (0, 0, '', 0, 0);
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
CREATE INDEX entries_by_replaced ON entries (replaced) WHERE replaced IS NOT NULL;
CREATE INDEX write_offs_by_account ON write_offs (account, number);
CREATE TRIGGER write_off_is_never_changed BEFORE UPDATE ON write_offs
BEGIN SELECT RAISE(ABORT, 'a write-off is never changed'); END;
CREATE TRIGGER write_off_is_never_deleted BEFORE DELETE ON write_offs
BEGIN SELECT RAISE(ABORT, 'a write-off is never deleted'); END;
CREATE TRIGGER write_offs_only_grow BEFORE INSERT ON write_offs
WHEN NEW.number IS NOT 1 + coalesce((SELECT max(number) FROM write_offs), 0)
BEGIN SELECT RAISE(ABORT, 'a write-off is the next one'); END;
CREATE INDEX vendor_state_by_expiry ON vendor_state (expires_at);
CREATE INDEX idempotency_by_time ON idempotency (claimed_at);
CREATE INDEX idempotency_kept ON idempotency (claimed_at, request) WHERE state = 'kept';
CREATE INDEX idempotency_kept_of_scope ON idempotency (scope, claimed_at, request) WHERE state = 'kept';
CREATE TRIGGER idempotency_added AFTER INSERT ON idempotency BEGIN
  INSERT INTO idempotency_totals VALUES (new.scope, 1, new.size), ('', 1, new.size)
  ON CONFLICT (scope) DO UPDATE SET keys = keys + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER idempotency_resized AFTER UPDATE OF size ON idempotency BEGIN
  UPDATE idempotency_totals SET bytes = bytes + new.size - old.size WHERE scope IN (new.scope, '');
END;
CREATE TRIGGER idempotency_removed AFTER DELETE ON idempotency BEGIN
  UPDATE idempotency_totals SET keys = keys - 1, bytes = bytes - old.size
  WHERE scope IN (old.scope, '');
  DELETE FROM idempotency_totals WHERE scope = old.scope AND keys = 0;
END;
CREATE INDEX card_payments_by_account ON card_payments (account);
CREATE INDEX reversals_by_intent ON reversals (intent);
CREATE INDEX notices_by_account ON notices (account, number);
CREATE INDEX notices_by_time ON notices (at);
CREATE INDEX notice_deliveries_waiting ON notice_deliveries (at) WHERE state = 'waiting';
PRAGMA user_version = 18;
