import { perEngine, sql } from "./sql.ts"

/** The holder of the budget that a balance belongs to: a key or an account. */
export const BUDGET_HOLDER = perEngine({
  sqlite: sql`CASE instr(owner, '@') WHEN 0 THEN owner ELSE substr(owner, 1, instr(owner, '@') - 1) END`,
  postgresql: sql`split_part(owner, '@', 1)`,
})
