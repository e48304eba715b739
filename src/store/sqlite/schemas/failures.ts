import type { Schema } from "../migrate.ts"

const FAILURES = `
CREATE TABLE failed_requests (
  request TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  status INTEGER NOT NULL,
  kind TEXT NOT NULL,
  parameter TEXT,
  message TEXT NOT NULL,
  account TEXT,
  key TEXT,
  model TEXT
) STRICT;
CREATE INDEX failed_requests_by_time ON failed_requests (at, request);
CREATE INDEX failed_requests_by_account ON failed_requests (account, at, request);
CREATE TABLE failed_attempts (
  request TEXT NOT NULL,
  at INTEGER NOT NULL,
  deployment TEXT NOT NULL,
  status INTEGER NOT NULL,
  kind TEXT NOT NULL,
  code TEXT,
  message TEXT NOT NULL,
  PRIMARY KEY (request, at, deployment)
) STRICT, WITHOUT ROWID;
CREATE INDEX failed_attempts_by_time ON failed_attempts (at);
`

/** Requests that were answered with errors, and attempts that failed, in `failures.db`. */
export const FAILURES_SCHEMA: Schema = { file: "failures.db", steps: [FAILURES] }
