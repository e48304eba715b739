import { budgetOwner } from "../../accounting/budget-periods.ts"
import type { BalanceFault } from "../integrity.ts"
import type { PostgresClient } from "./client.ts"
import type { Value } from "./connection-pool.ts"
import { RECALLS_FOREVER } from "../steps/recalls.ts"

/** Queries that find balances whose invariants are violated. */
const MISSING = `
  SELECT id AS owner, 0::bigint AS found, 0::bigint AS expected FROM accounts
    WHERE NOT EXISTS (SELECT FROM balances WHERE owner = accounts.id)
  UNION ALL SELECT id, 0, budget FROM keys
    WHERE budget IS NOT NULL AND NOT EXISTS (SELECT FROM balances WHERE owner = keys.id)
  UNION ALL SELECT DISTINCT owner, 0::bigint, amount FROM leases
    WHERE amount > 0 AND NOT EXISTS (SELECT FROM balances WHERE balances.owner = leases.owner)`

const LEASED = `
  SELECT balances.owner, leased AS found, coalesce(sum(amount), 0)::bigint AS expected
  FROM balances LEFT JOIN leases ON leases.owner = balances.owner
  GROUP BY balances.owner, leased HAVING leased <> coalesce(sum(amount), 0)`

/**
 * A budget's balance is the remainder of its limit. After a larger limit was reduced, the balance may also contain the
 * amount that nodes still have to return. The budget of a period may have less: if the clock was wrong when the limit
 * was raised, the balance did not grow.
 */
const LIMIT = `
  SELECT owner, found, expected FROM (
    SELECT balances.owner, posted AS found, recalls.amount AS recalled,
      greatest(0, spendable - (allotted - posted)) + coalesce(recalls.amount, 0) AS expected
    FROM (
      SELECT owners.* FROM keys
        CROSS JOIN LATERAL (VALUES (keys.id, budget), (keys.id || $1, daily_budget), (keys.id || $2, monthly_budget))
          AS owners (budget_owner, spendable)
      UNION ALL SELECT owners.* FROM accounts
        CROSS JOIN LATERAL (VALUES (accounts.id || $1, (limits::json ->> 'dailyBudget')::bigint),
          (accounts.id || $2, (limits::json ->> 'monthlyBudget')::bigint)) AS owners (budget_owner, spendable)
    ) AS limits
    JOIN balances ON balances.owner = budget_owner
    LEFT JOIN recalls ON recalls.owner = budget_owner AND recalls.node = '${RECALLS_FOREVER.budget}'
    WHERE spendable IS NOT NULL
  ) AS budgets
  WHERE CASE WHEN recalled IS NULL AND strpos(owner, '@') = 0 THEN found <> expected ELSE found > expected END`

/**
 * Returns balances that are missing, or that disagree with their leases and limits. All are read from one state of the
 * database.
 */
export function listBalanceFaults(client: PostgresClient, now: number): Promise<BalanceFault[]> {
  const periods = [budgetOwner("", "day", now), budgetOwner("", "month", now)]
  return client.consistently(async (statements) => {
    const check = async (
      fault: BalanceFault["fault"],
      text: string,
      values: readonly Value[] = [],
    ) =>
      (await statements.rows<Omit<BalanceFault, "fault">>(text, values)).map(
        ({ owner, found, expected }) => ({ fault, owner, found, expected }),
      )
    return [
      ...(await check("missing", MISSING)),
      ...(await check("leased", LEASED)),
      ...(await check("limit", LIMIT, periods)),
    ]
  })
}
