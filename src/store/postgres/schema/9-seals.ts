/** What takes the place of rows that were removed because they were old. */
export const SEALS = `
-- Of all accounts together: until when rows were removed (Unix milliseconds), how many, the sum of their hashes, and the
-- greatest position among them.
CREATE TABLE seal (until bigint NOT NULL, row_count bigint NOT NULL, hash_sum text NOT NULL, last_row bigint NOT NULL);
INSERT INTO seal VALUES (0, 0, '', 0);

-- The last of an account's removed entries: the next one follows it.
CREATE TABLE account_seals (
  account text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  balance bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);

-- What removed charges drew on each budget.
CREATE TABLE sealed_budgets (owner text COLLATE "C" PRIMARY KEY, spent bigint NOT NULL);
`
