/** Comparisons with providers' bills, and the corrections posted from them. */
export const RECONCILIATIONS = `
-- The last comparison of each provider.
CREATE TABLE reconciliations (
  provider text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL
);

-- Provider cost that receipts do not contain, by the comparison that found it.
CREATE TABLE provider_corrections (
  provider text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  number bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (day, provider, number)
);
`
