-- A small book as Tollgate 0.1.0 wrote it: grants, charges, a key with a budget, and two requests
-- that were not charged.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
  ) STRICT;
CREATE TABLE balances (
    owner TEXT PRIMARY KEY,
    posted INTEGER NOT NULL CHECK (posted >= 0),
    leased INTEGER NOT NULL DEFAULT 0 CHECK (leased >= 0 AND leased <= posted)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE entries (
    account TEXT NOT NULL REFERENCES accounts (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    amount INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    at INTEGER NOT NULL,
    request TEXT,
    note TEXT,
    author TEXT,
    receipt_hash TEXT,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (account, number)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE receipts (
    request TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    at INTEGER NOT NULL,
    entry INTEGER,
    body TEXT NOT NULL
  ) STRICT;
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
  ) STRICT;
CREATE INDEX keys_by_revision ON keys (revision);
CREATE TABLE key_secrets (
    hash TEXT PRIMARY KEY,
    key TEXT NOT NULL REFERENCES keys (id),
    hint TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
CREATE INDEX key_secrets_by_key ON key_secrets (key);
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
    at INTEGER NOT NULL,
    PRIMARY KEY (owner, node)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
INSERT INTO accounts VALUES ('left', 'name of left', 1);
INSERT INTO accounts VALUES ('right', 'name of right', 1);
INSERT INTO balances VALUES ('left', 963, 0);
INSERT INTO balances VALUES ('right', 970, 0);
INSERT INTO balances VALUES ('thrifty', 470, 0);
INSERT INTO entries VALUES ('left', 1, 'grant', 1000, 1000, 2, NULL, 'welcome', 'operator', NULL, '0000000000000000000000000000000000000000000000000000000000000000', '20bf157adfd44f0748a8f70716ee4f8f80412a6d42b9bb1c5845bdc66ec2eeb4');
INSERT INTO entries VALUES ('left', 2, 'charge', -30, 970, 11, 'req_1', NULL, NULL, '02956306dfe6a54b920444b2201c169045790b4071cb99dd290aff9d2c91538e', '20bf157adfd44f0748a8f70716ee4f8f80412a6d42b9bb1c5845bdc66ec2eeb4', 'bb365dfca9a11075933680280f5a2307924f6e2002681629c0505c14fdf58762');
INSERT INTO entries VALUES ('left', 3, 'charge', -7, 963, 14, 'req_4', NULL, NULL, '65da5fea787b273e3f9b4afac4c5bb2f8c2ec0b7ceda8f0138f684cf18ee7f61', 'bb365dfca9a11075933680280f5a2307924f6e2002681629c0505c14fdf58762', 'bb8f418698f34f4b2d53a89de2881b98dfb8af51137646173a521fd59ef28484');
INSERT INTO entries VALUES ('right', 1, 'grant', 1000, 1000, 2, NULL, 'welcome', 'operator', NULL, '0000000000000000000000000000000000000000000000000000000000000000', '23720447fc3318e45fd81a2f5f7c4c24ea305f168ec21a09d1f0a40255a81039');
INSERT INTO entries VALUES ('right', 2, 'charge', -20, 980, 12, 'req_2', NULL, NULL, 'f1933cf70e28160e0bda52eb4f5775dab1550ebf02f78fc4c5a73b36d983584c', '23720447fc3318e45fd81a2f5f7c4c24ea305f168ec21a09d1f0a40255a81039', '39586b5d80c9de5513f69523a624159a0bc5bc25d31ac7e47ef6313f30c9cff4');
INSERT INTO entries VALUES ('right', 3, 'charge', -9, 971, 15, 'req_5', NULL, NULL, 'edfdce8dd7d2ad6e8f39c935272df1317a1867229eb46737a18f0574c0fb1d1c', '39586b5d80c9de5513f69523a624159a0bc5bc25d31ac7e47ef6313f30c9cff4', 'f45cca27a5da38c4a2a4cfd9d9212f18888ce57d68aa554f8f5ceeab6492cdda');
INSERT INTO entries VALUES ('right', 4, 'adjustment', -1, 970, 30, NULL, NULL, 'operator', NULL, 'f45cca27a5da38c4a2a4cfd9d9212f18888ce57d68aa554f8f5ceeab6492cdda', '128c713fed613055ecc30b76aeef99e0b5754093f7b9e70c4dd33f53ac721f15');
INSERT INTO receipts VALUES ('req_1', 'left', 'thrifty', 11, 2, '{"id":"req_1"}');
INSERT INTO receipts VALUES ('req_2', 'right', 'key', 12, 2, '{"id":"req_2"}');
INSERT INTO receipts VALUES ('req_3', 'left', 'key', 13, NULL, '{"id":"req_3"}');
INSERT INTO receipts VALUES ('req_4', 'left', 'key', 14, 3, '{"id":"req_4"}');
INSERT INTO receipts VALUES ('req_5', 'right', 'key', 15, 3, '{"id":"req_5"}');
INSERT INTO receipts VALUES ('req_6', 'left', 'key', 16, NULL, '{"id":"req_6","status":"expired"}');
INSERT INTO keys VALUES ('thrifty', 'left', 'thrifty', NULL, 500, NULL, NULL, 1, NULL, NULL, 1);
INSERT INTO key_secrets VALUES ('hash', 'thrifty', 'abcd', 1, NULL);
INSERT INTO revision VALUES (1);
PRAGMA user_version = 1;
