/** What is kept besides the ledger: vendors' state, idempotency keys with their answers, prompts, conversations. */
export const KEPT = `
-- What vendors keep for accounts. The oldest have the smallest numbers.
CREATE SEQUENCE vendor_state_number;
CREATE TABLE vendor_state (
  number bigint PRIMARY KEY,
  id_hash text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  account text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  tokens bigint,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  UNIQUE (id_hash, provider)
);
CREATE INDEX vendor_state_by_expiry ON vendor_state (expires_at);

-- Requests that came with an idempotency key, for a day.
CREATE TABLE idempotency (
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  request text COLLATE "C" NOT NULL UNIQUE,
  node text COLLATE "C" NOT NULL,
  claimed_at bigint NOT NULL,
  rights text NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'done', 'kept')),
  size bigint NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_by_time ON idempotency (claimed_at);
CREATE INDEX idempotency_kept ON idempotency (claimed_at, request) WHERE state = 'kept';
CREATE INDEX idempotency_kept_of_scope ON idempotency (scope, claimed_at, request) WHERE state = 'kept';

-- Prompts and answers of accounts that have them kept.
CREATE TABLE contents (
  request text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  asked text NOT NULL,
  answered text,
  PRIMARY KEY (request)
);
CREATE INDEX contents_by_time ON contents (at);

-- Kept conversations, encrypted.
CREATE TABLE conversation_parts (
  hash text COLLATE "C" PRIMARY KEY,
  answer text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  expires_at bigint NOT NULL,
  bytes bigint NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX conversation_parts_by_answer ON conversation_parts (answer);
CREATE INDEX conversation_parts_by_account ON conversation_parts (account, at);
CREATE INDEX conversation_parts_by_time ON conversation_parts (at);
CREATE INDEX conversation_parts_by_expiry ON conversation_parts (expires_at);
`
