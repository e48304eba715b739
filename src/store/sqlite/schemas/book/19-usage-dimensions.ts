/**
 * Sums of removed requests are told apart by their endpoint too, and know what requests cost before the multiplier. Of
 * those from before, the endpoint is empty, and that cost is what they cost.
 */
export const USAGE_DIMENSIONS = `
ALTER TABLE sealed_hours RENAME TO sealed_hours_before;
CREATE TABLE sealed_hours (
  hour INTEGER NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  outcome TEXT NOT NULL,
  endpoint TEXT NOT NULL,
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
  first_byte INTEGER NOT NULL,
  PRIMARY KEY (hour, account, key, model, provider, outcome, endpoint)
) STRICT, WITHOUT ROWID;
INSERT INTO sealed_hours SELECT hour, account, key, model, provider, outcome, '', requests, errors, input, output, cost,
  written_off, cost + written_off, durations, duration, first_bytes, first_byte FROM sealed_hours_before;
DROP TABLE sealed_hours_before;
`
