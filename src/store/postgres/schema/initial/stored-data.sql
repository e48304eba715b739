-- Data other than the ledger: vendor state, idempotency keys with their responses, prompts, conversations and files.

-- State that vendors store for accounts. The oldest rows have the lowest numbers.
CREATE SEQUENCE vendor_state_number;
CREATE TABLE vendor_state (
  number bigint PRIMARY KEY,
  id_hash text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  -- Empty if the id was given to several accounts, so that it belongs to none of them.
  account text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  tokens bigint,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  UNIQUE (id_hash, provider)
);
CREATE INDEX vendor_state_by_expiry ON vendor_state (expires_at);

-- Requests with an idempotency key, which are stored for a day.
CREATE TABLE idempotency (
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  request text COLLATE "C" NOT NULL UNIQUE,
  node text COLLATE "C" NOT NULL,
  claimed_at bigint NOT NULL,
  rights text NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'done', 'kept')),
  -- Size of the stored response in bytes.
  size bigint NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_by_time ON idempotency (claimed_at);
CREATE INDEX idempotency_kept ON idempotency (claimed_at, request) WHERE state = 'kept';
CREATE INDEX idempotency_kept_of_scope ON idempotency (scope, claimed_at, request) WHERE state = 'kept';

-- The number of keys in each scope, and the bytes of their responses. The scope '' has the bytes of all scopes
-- together. Each total is the sum of several rows (see count_idempotency).
CREATE TABLE idempotency_totals (
  scope text COLLATE "C" NOT NULL,
  slot int NOT NULL,
  keys bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (scope, slot)
) WITH (fillfactor = 70);

-- Prompts and responses of accounts that store them.
CREATE TABLE contents (
  request text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  asked text NOT NULL,
  answered text,
  PRIMARY KEY (request)
);
CREATE INDEX contents_by_time ON contents (at);

-- Stored conversations, encrypted.
CREATE TABLE conversation_parts (
  hash text COLLATE "C" PRIMARY KEY,
  response text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  expires_at bigint NOT NULL,
  bytes bigint NOT NULL,
  encrypted bytea NOT NULL
);
CREATE INDEX conversation_parts_by_response ON conversation_parts (response);
CREATE INDEX conversation_parts_by_account ON conversation_parts (account, at);
CREATE INDEX conversation_parts_by_time ON conversation_parts (at);
CREATE INDEX conversation_parts_by_expiry ON conversation_parts (expires_at);

-- The number of bytes that each account stores. Every change to the parts of an account locks its row.
CREATE TABLE conversation_sizes (account text COLLATE "C" PRIMARY KEY, bytes bigint NOT NULL) WITH (fillfactor = 70);

-- Files that all nodes need, which are stored responses (encrypted by the node) and temporary images. Times are by the
-- database's clock.
CREATE TABLE kept_files (
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  file text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (kind, name)
);
CREATE INDEX kept_files_by_expiry ON kept_files (expires_at);

CREATE TABLE kept_file_chunks (
  file text COLLATE "C" NOT NULL,
  number int NOT NULL,
  expires_at bigint NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (file, number)
);
-- Compression is disabled, because encrypted data and images cannot be compressed.
ALTER TABLE kept_file_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX kept_file_chunks_by_expiry ON kept_file_chunks (expires_at);
