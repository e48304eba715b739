import type { Database } from "bun:sqlite"
import { budgetOwner } from "../../accounting/budget-periods.ts"
import type { BalanceFault } from "../integrity.ts"

interface Check {
  readonly fault: BalanceFault["fault"]
  readonly statement: string
}

/** Queries that find balances whose invariants are violated. */
const BALANCE_CHECKS: readonly Check[] = [
  {
    fault: "missing",
    statement: `
    SELECT id AS owner, 0 AS found, 0 AS expected FROM accounts
      WHERE id NOT IN (SELECT owner FROM balances)
    UNION ALL SELECT id, 0, budget FROM keys
      WHERE budget IS NOT NULL AND id NOT IN (SELECT owner FROM balances)
    UNION ALL SELECT DISTINCT owner, 0, amount FROM leases
      WHERE amount > 0 AND owner NOT IN (SELECT owner FROM balances)`,
  },
  {
    fault: "leased",
    statement: `
    SELECT owner, leased AS found, coalesce(sum(amount), 0) AS expected
    FROM balances LEFT JOIN leases USING (owner) GROUP BY owner HAVING found <> expected`,
  },
  {
    fault: "limit",
    // A budget's balance is the remainder of its limit. After a larger limit was reduced, the balance may also contain
    // the amount that nodes still have to return. The budget of a period may have less: if the clock was wrong when the
    // limit was raised, the balance did not grow.
    statement: `
    SELECT budgets.owner, posted AS found, max(0, spendable - spent) + coalesce(amount, 0) AS expected
    FROM (
      SELECT owner, posted, allotted - posted AS spent, CASE owner
        WHEN id THEN budget WHEN id || ?1 THEN daily_budget ELSE monthly_budget
      END AS spendable
      FROM keys JOIN balances ON owner IN (id, id || ?1, id || ?2)
      UNION ALL SELECT owner, posted, allotted - posted, CAST(CASE owner
        WHEN id || ?1 THEN limits ->> 'dailyBudget' ELSE limits ->> 'monthlyBudget'
      END AS INTEGER)
      FROM accounts JOIN balances ON owner IN (id || ?1, id || ?2)
    ) AS budgets
    LEFT JOIN recalls ON recalls.owner = budgets.owner AND node = '(budget)'
    WHERE spendable IS NOT NULL AND iif(amount IS NULL AND instr(budgets.owner, '@') = 0, found <> expected, found > expected)`,
  },
]

/** Returns the balances that violate an invariant. */
export function balanceFaults(database: Database, now: number): BalanceFault[] {
  const periods = [budgetOwner("", "day", now), budgetOwner("", "month", now)]
  return BALANCE_CHECKS.flatMap(({ fault, statement }) =>
    database
      .query<{ owner: string; found: bigint; expected: bigint }, string[]>(statement)
      .all(...(fault === "limit" ? periods : []))
      .map((row) => ({ fault, ...row })),
  )
}
