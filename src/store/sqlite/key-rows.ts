import { budgetOwner } from "../../accounting/budget-periods.ts"
import { keyRecordOf, type StoredKey, type StoredSecret } from "../key-fields.ts"
import type { KeyRecord } from "../keys.ts"

export interface KeyRow extends StoredKey {
  stores_content: bigint
}

/** The first two parameters are the ends of the owners of today's budgets and this month's. */
export const SELECT_KEY = `
  SELECT keys.*, total.allotted - total.posted AS budget_spent,
    day.allotted - day.posted AS daily_spent, month.allotted - month.posted AS monthly_spent,
    accounts.stores_content, accounts.state AS account_state, accounts.limits AS account_limits
  FROM keys
  JOIN accounts ON accounts.id = keys.account
  LEFT JOIN balances AS total ON total.owner = keys.id
  LEFT JOIN balances AS day ON day.owner = keys.id || ?1
  LEFT JOIN balances AS month ON month.owner = keys.id || ?2`

export function currentPeriods(): [string, string] {
  const now = Date.now()
  return [budgetOwner("", "day", now), budgetOwner("", "month", now)]
}

/** @param secrets of the key, the newest first. */
export function keyFromRow(row: KeyRow, secrets: readonly StoredSecret[]): KeyRecord {
  return keyRecordOf(row, row.stores_content === 1n, secrets)
}
