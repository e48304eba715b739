import type { Database } from "bun:sqlite"
import { SUM_NAMES } from "../../request-names.ts"
import type { Schema } from "../migrate.ts"

const SUMS = `
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  written_off INTEGER NOT NULL,
  provider_cost INTEGER NOT NULL,
  durations INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  first_bytes INTEGER NOT NULL,
  first_byte INTEGER NOT NULL
`

const USAGE = `
  hour INTEGER NOT NULL,
  ${SUM_NAMES.map((name) => `${name} TEXT NOT NULL`).join(", ")},
  ${SUMS},
  PRIMARY KEY (hour, ${SUM_NAMES.join(", ")})
`

const USAGE_OF_NAMES = `
  -- An element of SUM_NAMES.
  kind TEXT NOT NULL,
  hour INTEGER NOT NULL,
  name TEXT NOT NULL,
  ${SUMS},
  PRIMARY KEY (kind, hour, name)
`

const TABLES_AND_INDEXES = `
CREATE TABLE requests (
  -- The rowid of the receipt in the ledger.
  row INTEGER PRIMARY KEY,
  request TEXT NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT,
  price_group TEXT,
  status TEXT NOT NULL,
  outcome TEXT NOT NULL,
  failed INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration INTEGER,
  first_byte INTEGER,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  written_off INTEGER NOT NULL,
  provider_cost INTEGER NOT NULL,
  -- The user, session and tags that the caller sent, as JSON; null if there are none.
  labels TEXT
) STRICT;
CREATE INDEX requests_by_time ON requests (at);
CREATE INDEX requests_by_account ON requests (account, at);
CREATE INDEX requests_by_key ON requests (key, at);
CREATE INDEX requests_by_model ON requests (model, at);
CREATE INDEX requests_by_account_and_model ON requests (account, model, at);
CREATE INDEX failed_requests_by_time ON requests (at) WHERE failed = 1;
CREATE INDEX failed_requests_by_account ON requests (account, at) WHERE failed = 1;
CREATE INDEX written_off_by_time ON requests (at) WHERE written_off > 0;
CREATE INDEX written_off_by_account ON requests (account, at) WHERE written_off > 0;

-- Users, sessions and tags of requests.
CREATE TABLE request_labels (
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  request_at INTEGER NOT NULL,
  request_row INTEGER NOT NULL,
  PRIMARY KEY (name, value, request_at, request_row)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_labels_by_row ON request_labels (request_row);

-- A copy of the requests in columns, with thousands of requests in each segment. It is used for sums that are not
-- stored in a table.
CREATE TABLE segments (
  id INTEGER PRIMARY KEY,
  first_row INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- The start times of the first and the last request in the segment.
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;
CREATE TABLE segment_columns (
  -- 32 times the id of the segment, plus the position of the column.
  place INTEGER PRIMARY KEY,
  numbers BLOB NOT NULL
) STRICT;
-- The ids that stand for names and labels of requests in columns.
CREATE TABLE names (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- The start time of the last request with this name.
  last_at INTEGER NOT NULL
) STRICT;

-- Hourly and daily sums. Hours are counted from 1970 in UTC. A day has the number of its first hour.
CREATE TABLE usage_hours (${USAGE}) STRICT, WITHOUT ROWID;
CREATE TABLE usage_days (${USAGE}) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_by_account ON usage_days (account, hour);
-- Sums by a single name.
CREATE TABLE usage_name_hours (${USAGE_OF_NAMES}) STRICT, WITHOUT ROWID;
CREATE TABLE usage_name_days (${USAGE_OF_NAMES}) STRICT, WITHOUT ROWID;

CREATE TABLE key_uses (
  key TEXT PRIMARY KEY,
  last_used_at INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  spent INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last indexed row of the ledger, the last request in it, and a random id of this build of the index.
CREATE TABLE progress (row INTEGER NOT NULL, last_row INTEGER, last_request TEXT, made TEXT NOT NULL) STRICT;
INSERT INTO progress VALUES (0, NULL, NULL, hex(randomblob(8)));

-- The state of the ledger's pruned rows when the index last removed their requests.
CREATE TABLE pruned_rows (until INTEGER NOT NULL, row_count INTEGER NOT NULL) STRICT;
INSERT INTO pruned_rows VALUES (0, 0);
`

const TABLES = [
  "requests",
  "request_labels",
  "segments",
  "segment_columns",
  "names",
  "usage_hours",
  "usage_days",
  "usage_name_hours",
  "usage_name_days",
  "key_uses",
  "progress",
  "pruned_rows",
]

/**
 * The index of the ledger's receipts, in `reports.db`. It can be rebuilt, so an index of another version is dropped.
 */
export const REPORTS_SCHEMA: Schema = {
  file: "reports.db",
  // Must be increased with every change to the tables or to the sums in them.
  firstVersion: 10,
  steps: [TABLES_AND_INDEXES],
  discard: dropTables,
}

/** Empties the index. It must run inside a transaction. */
export function clearIndex(index: Database): void {
  dropTables(index)
  index.run(TABLES_AND_INDEXES)
}

function dropTables(index: Database): void {
  for (const table of TABLES) index.run(`DROP TABLE IF EXISTS ${table}`)
}
