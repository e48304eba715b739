import { budgetOwner } from "../../accounting/budget-periods.ts"
import { keyRecordOf, type StoredKey, type StoredSecret } from "../key-fields.ts"
import type { KeyFilter, KeyRecord } from "../keys.ts"
import type { TimePosition } from "../time-position.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"

interface KeyRow extends StoredKey {
  readonly stores_content: boolean
  /** JSON. */
  readonly secrets: string
}

type ChangedRow = { readonly current: bigint } & (KeyRow | { readonly id: null })

/** All that is known of a key, seen at one moment. */
const COLUMNS = `keys.id, keys.account, keys.name, keys.models, keys.aliases, keys.origins, keys.read_only, keys.addresses, keys.budget,
  keys.daily_budget, keys.monthly_budget, keys.requests_per_minute, keys.tokens_per_minute, keys.concurrent_requests, keys.created_at, keys.created_by,
  keys.expires_at, keys.revoked_at, keys.paused_at, accounts.stores_content, accounts.state AS account_state,
  accounts.limits AS account_limits, total.allotted - total.posted AS budget_spent,
  day.allotted - day.posted AS daily_spent, month.allotted - month.posted AS monthly_spent, (
    SELECT coalesce(json_agg(json_build_object('hash', secret.hash, 'hint', secret.hint,
        'created_at', secret.created_at, 'expires_at', secret.expires_at)
      ORDER BY secret.expires_at IS NOT NULL, secret.created_at DESC, secret.expires_at DESC), '[]')::text
    FROM key_secrets AS secret WHERE secret.key = keys.id) AS secrets`

/** The parameters are the ends of the owners of today's budgets and this month's. */
const JOINS = `JOIN accounts ON accounts.id = keys.account
  LEFT JOIN balances AS total ON total.owner = keys.id
  LEFT JOIN balances AS day ON day.owner = keys.id || $1
  LEFT JOIN balances AS month ON month.owner = keys.id || $2`

export async function findKey(statements: Statements, id: string): Promise<KeyRecord | null> {
  const row = await statements.row<KeyRow>(
    `SELECT ${COLUMNS} FROM keys ${JOINS} WHERE keys.id = $3`,
    [...currentPeriods(), id],
  )
  return row ? keyFromRow(row) : null
}

/** The newest first. What is known of a key is looked up for those of the page alone. */
export async function listKeys(
  statements: Statements,
  { accounts, status, now }: KeyFilter,
  { after, limit }: { readonly after: TimePosition | null; readonly limit: number },
): Promise<KeyRecord[]> {
  const conditions = new Conditions()
  for (const end of currentPeriods()) conditions.place(end)
  conditions.among("account", accounts)
  if (status === "revoked") conditions.always("revoked_at IS NOT NULL")
  else if (status !== undefined) conditions.always("revoked_at IS NULL")
  if (status === "expired") conditions.add("expires_at <= ?", now)
  if (status === "active") conditions.add("(expires_at IS NULL OR expires_at > ?)", now)
  conditions.after("(created_at, id) <", after)
  const rows = await statements.rows<KeyRow>(
    `SELECT ${COLUMNS} FROM keys ${JOINS} WHERE keys.id IN (
       SELECT id FROM keys ${conditions.where}
       ORDER BY created_at DESC, id DESC LIMIT ${conditions.place(BigInt(limit))})
     ORDER BY keys.created_at DESC, keys.id DESC`,
    conditions.values,
  )
  return rows.map(keyFromRow)
}

/** The keys that changed after a revision, and the revision, seen at one moment. */
export async function listChangedKeys(
  statements: Statements,
  revision: number,
): Promise<{ revision: number; keys: KeyRecord[] }> {
  const rows = await statements.rows<ChangedRow>(
    `SELECT revisions.number AS current, ${COLUMNS}
     FROM revisions LEFT JOIN (keys ${JOINS}) ON keys.revision > $3 WHERE revisions.name = 'keys'`,
    [...currentPeriods(), BigInt(revision)],
  )
  const keys: KeyRecord[] = []
  for (const row of rows) if (row.id !== null) keys.push(keyFromRow(row))
  return { revision: Number(rows[0]?.current ?? 0n), keys }
}

export function currentPeriods(): [string, string] {
  const now = Date.now()
  return [budgetOwner("", "day", now), budgetOwner("", "month", now)]
}

function keyFromRow(row: KeyRow): KeyRecord {
  return keyRecordOf(row, row.stores_content, JSON.parse(row.secrets) as StoredSecret[])
}
