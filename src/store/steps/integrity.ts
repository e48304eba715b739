import type { BalanceFault, LastPrunedEntry, PrunedRows } from "../integrity.ts"
import type { Store } from "../store.ts"
import { PERIOD_POSITION, periodsAt } from "./budgets.ts"
import { RECALLS_FOREVER } from "./recalls.ts"
import { RecordColumns } from "./record-columns.ts"
import { larger, perEngine, type PerEngine, sql, type Sql } from "./sql.ts"
import { snapshot, statements, type Step, type StepMethods } from "./step.ts"

const PRUNED = new RecordColumns<PrunedRows>({
  until: "number",
  rowCount: "number",
  hashSum: "text",
  lastRow: "number",
})
const LAST_PRUNED = new RecordColumns<LastPrunedEntry>({
  number: "number",
  balance: "bigint",
  hash: "text",
})

const FAULT = new RecordColumns<Omit<BalanceFault, "fault">>({
  owner: "text",
  found: "bigint",
  expected: "bigint",
})

/** The methods of integrity that both engines share. The anchor and pruning differ in each engine. */
export type SharedIntegrity = Pick<
  Store["integrity"],
  "findPrunedRows" | "findLastPrunedEntry" | "listBalanceFaults"
>

export const integritySteps: StepMethods<SharedIntegrity> = {
  findPrunedRows: statements(findPrunedRows),
  findLastPrunedEntry: statements(findLastPrunedEntry),
  listBalanceFaults: snapshot(listBalanceFaults),
}

/** Returns the sums of all rows that were removed, in all accounts. */
export function* findPrunedRows(): Step<PrunedRows> {
  const found = yield* PRUNED.row(sql`SELECT ${PRUNED.selected} FROM pruned_rows`)
  if (!found) throw new Error("the ledger has no row in pruned_rows")
  return found
}

function findLastPrunedEntry(account: string): Step<LastPrunedEntry | null> {
  return LAST_PRUNED.row(
    sql`SELECT ${LAST_PRUNED.selected} FROM last_pruned_entries WHERE account = ${account}`,
  )
}

/** Selects owners without a balance. */
const MISSING = sql`
  SELECT id AS owner, CAST(0 AS bigint) AS found, CAST(0 AS bigint) AS expected FROM accounts
    WHERE NOT EXISTS (SELECT 1 FROM balances WHERE owner = accounts.id)
  UNION ALL SELECT id, 0, budget FROM keys
    WHERE budget IS NOT NULL AND NOT EXISTS (SELECT 1 FROM balances WHERE owner = keys.id)
  UNION ALL SELECT DISTINCT owner, 0, amount FROM leases
    WHERE amount > 0 AND NOT EXISTS (SELECT 1 FROM balances WHERE balances.owner = leases.owner)`

const LEASED_SUM = sql`CAST(coalesce(sum(amount), 0) AS bigint)`
/** Selects balances whose leased part differs from the sum of their leases. */
const LEASED = sql`
  SELECT balances.owner, leased AS found, ${LEASED_SUM} AS expected
  FROM balances LEFT JOIN leases ON leases.owner = balances.owner
  GROUP BY balances.owner, leased HAVING leased <> ${LEASED_SUM}`

/**
 * Selects budgets that exceed their limits. A budget's balance is the remainder of its limit. After a larger limit was
 * reduced, the balance may also contain the amount that nodes still have to return. The budget of a period may have
 * less: if the clock was wrong when the limit was raised, the balance did not grow.
 */
function selectWrongLimits(now: number): Sql {
  const [day, month] = periodsAt(now)
  return sql`
    SELECT owner, found, expected FROM (
      SELECT balances.owner, posted AS found, recalls.amount AS recalled,
        ${larger(sql`0`, sql`spendable - (allotted - posted)`)} + coalesce(recalls.amount, 0) AS expected
      FROM (
        SELECT id AS holder, budget AS spendable FROM keys
        UNION ALL SELECT id || ${day}, daily_budget FROM keys
        UNION ALL SELECT id || ${month}, monthly_budget FROM keys
        UNION ALL SELECT id || ${day}, ${limitIn("dailyBudget")} FROM accounts
        UNION ALL SELECT id || ${month}, ${limitIn("monthlyBudget")} FROM accounts
      ) AS limits
      JOIN balances ON balances.owner = holder
      LEFT JOIN recalls ON recalls.owner = holder AND recalls.node = ${RECALLS_FOREVER.budget}
      WHERE spendable IS NOT NULL
    ) AS budgets
    WHERE CASE WHEN recalled IS NULL AND ${PERIOD_POSITION} = 0 THEN found <> expected ELSE found > expected END`
}

/** Returns a limit of an account, in which amounts are text. */
function limitIn(name: "dailyBudget" | "monthlyBudget"): PerEngine {
  return perEngine({
    sqlite: sql`CAST(limits ->> ${name} AS bigint)`,
    postgresql: sql`CAST(limits::json ->> ${name} AS bigint)`,
  })
}

function* listBalanceFaults(now: number): Step<BalanceFault[]> {
  const checks = [
    ["missing", MISSING],
    ["leased", LEASED],
    ["limit", selectWrongLimits(now)],
  ] as const
  const faults: BalanceFault[] = []
  for (const [fault, query] of checks) {
    const found = yield* FAULT.rows(query)
    faults.push(...found.map((balance) => ({ fault, ...balance })))
  }
  return faults
}
