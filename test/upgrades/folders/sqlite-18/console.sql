CREATE TABLE attempts (
  key TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  begun_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  is_operator INTEGER NOT NULL,
  is_disabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE identities (
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (provider, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  is_remembered INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT,
  agent TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE second_factors (
  user TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  backup_codes TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  last_step INTEGER,
  failures INTEGER NOT NULL,
  locked_until INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE proofs (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  user TEXT REFERENCES users (id) ON DELETE CASCADE,
  value TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('address:127.0.0.1', 0, 1795495190498);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('redeem-account:acc_scG2mgJpTNI860na', 0, 1795495190899);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('redeem-address:127.0.0.1', 0, 1795495190899);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('session:TSvDcyHjk9Nvyjg-oGRvUy', 0, 1795495190724);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('session:j8WZPU6uZYeIHRcFlp7xCD', 0, 1795495190624);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('setup:127.0.0.1', 0, 1795495190393);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('user:ORwV6qnELS5fJgn2WuVKyC', 0, 1795495190498);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('user:mYV_4RHfH3cijFC6zIrPAK', 0, 1795495190764);
INSERT INTO "users" ("id", "name", "email", "password_hash", "is_operator", "is_disabled", "created_at", "last_seen_at") VALUES ('user_4aaf03ef5ec34480a1782f4901707b05', 'Mia', 'mia@example.com', '$argon2id$v=19$m=19456,t=2,p=1$HtNFKtb5hFfaZ89iajm4S4GUcHIkfXxBYzrMGXfA9T4$uQ6qlLssr6R0MtXVAzJpiVnhQOj8lHQLDOrAJAFj+hs', 0, 0, 1795495190763, NULL);
INSERT INTO "users" ("id", "name", "email", "password_hash", "is_operator", "is_disabled", "created_at", "last_seen_at") VALUES ('user_6476334e9dc64d6eba9cf13887f67481', 'Olga', 'olga@example.com', '$argon2id$v=19$m=19456,t=2,p=1$tL2/Urqsec6U6kqqOS8dLC1lUcrWJ7+JNKTQWQhnTLo$2wrkPVmm+1APoorP+LdrxTuHbJ4HjMhkxkdhgU65OrA', 1, 0, 1795495190494, 1795495190622);
INSERT INTO "sessions" ("id", "token_hash", "user", "is_remembered", "created_at", "expires_at", "address", "agent") VALUES ('session_1856b2a9852344e0ab667e968e36ee66', 'F_f05PhN8hHb1n0gR5SNmBxBytoXI9NTjqeW5497aF0', 'user_4aaf03ef5ec34480a1782f4901707b05', 1, 1795495190793, 1796099990793, '127.0.0.1', 'Bun/1.4.5');
INSERT INTO "sessions" ("id", "token_hash", "user", "is_remembered", "created_at", "expires_at", "address", "agent") VALUES ('session_fe04d720160b433882e1702ca758a145', '75jm_OOPL6iZlaOn6JOHo_zOw05kZ9QLPeCofQ1QS5E', 'user_6476334e9dc64d6eba9cf13887f67481', 1, 1795495190726, 1796099990726, '127.0.0.1', 'Bun/1.4.5');
INSERT INTO "second_factors" ("user", "secret", "backup_codes", "is_active", "last_step", "failures", "locked_until") VALUES ('user_6476334e9dc64d6eba9cf13887f67481', '$ba$1$46c15f1a2d62474cb9da184b5b23a45e5953342568767c27f72fc09a2c61b7569366b70a8535ca1ee3eb6bb3eb95fc9f22e80c0315514f1f0a4594e192d7ded4d889b93ac48581a8', '$ba$1$84d9746e44cd48a6814eeaa5d9e686a3d0429b4f7e08f6f792739caa4fa00c8a2f11dbbf22589226a9566ab9e539c8d6a069bf764db1be2e5b51e9c61af4c2892637d9e301d2a4c6907e3a064f209809f8922f577cf13c437f008e11dcfc8259924dd745e2a92e553229fb8730b9e2a5f9e7f9c1dff766b3788ffc28280ba598e82ce443eb4e93f15af270b05a878b7721a89d11120ec76aa04c92e71e7aeb70e6b2a7fa9e1dac175a12c4fa4f99ffc2d39ac5d77e', 1, 59849839, 0, NULL);
CREATE INDEX identities_user ON identities (user);
CREATE INDEX sessions_user ON sessions (user);
CREATE INDEX proofs_user ON proofs (user);
PRAGMA user_version = 2;
