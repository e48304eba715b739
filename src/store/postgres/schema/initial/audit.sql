-- The audit log, and the removal of people's names from its otherwise unchangeable records.

-- The ends of the chains that all accounts share, which are 'audit' and 'write_offs'. Appending to a chain locks its
-- row.
CREATE TABLE chain_ends (
  name text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);
INSERT INTO chain_ends VALUES ('audit', 0, repeat('0', 64)), ('write_offs', 0, repeat('0', 64));

-- Changes with their actors. Each record contains the hash of the previous record.
CREATE TABLE audit (
  number bigint PRIMARY KEY,
  at bigint NOT NULL,
  actor_kind text NOT NULL,
  actor_id text COLLATE "C",
  actor_name text NOT NULL,
  action text COLLATE "C" NOT NULL,
  account text COLLATE "C",
  target text COLLATE "C",
  before_body text,
  after_body text,
  address text,
  previous_hash text NOT NULL,
  hash text NOT NULL
);
CREATE INDEX audit_by_account ON audit (account, number);
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION reject_change_of_audit();

-- The keys with which people's names are encrypted in records.
CREATE TABLE person_keys (
  -- A user's id, or an id that stands for an email address.
  person text COLLATE "C" PRIMARY KEY,
  address_hash text COLLATE "C" UNIQUE,
  -- Null if the person was erased.
  key text,
  erased_at bigint
);

-- Records from which a name was removed.
CREATE TABLE redactions (
  -- The audit record of the erasure.
  record bigint NOT NULL,
  -- The account of the entry; null for an audit record.
  account text COLLATE "C",
  number bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);
CREATE INDEX redactions_by_number ON redactions (number);
