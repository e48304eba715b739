/** Accounts that are held, and what they may do; keys that are paused. */
export const ACCOUNT_LIMITS = `
ALTER TABLE accounts ADD COLUMN state text COLLATE "C" NOT NULL DEFAULT 'active'
  CHECK (state IN ('active', 'paused', 'closed'));
-- JSON; what is absent has no limit.
ALTER TABLE accounts ADD COLUMN limits text NOT NULL DEFAULT '{}';
-- Null: it works.
ALTER TABLE keys ADD COLUMN paused_at bigint;
`
