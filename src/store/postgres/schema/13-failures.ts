/** Requests that were answered with errors, and upstream calls that failed, of the last days. */
export const FAILURES = `
CREATE TABLE failed_requests (
  request text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  endpoint text NOT NULL,
  status bigint NOT NULL,
  kind text NOT NULL,
  parameter text,
  message text NOT NULL,
  account text COLLATE "C",
  key text COLLATE "C",
  model text
);
CREATE INDEX failed_requests_by_time ON failed_requests (at, request);
CREATE INDEX failed_requests_by_account ON failed_requests (account, at, request);
CREATE TABLE failed_attempts (
  request text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  deployment text COLLATE "C" NOT NULL,
  status bigint NOT NULL,
  kind text NOT NULL,
  code text,
  message text NOT NULL,
  PRIMARY KEY (request, at, deployment)
);
CREATE INDEX failed_attempts_by_time ON failed_attempts (at);
`
