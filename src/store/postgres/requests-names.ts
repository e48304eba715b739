import type { Label } from "../../accounting/labels.ts"
import { AFTER_TEXTS, LABEL_NAMES, MAX_FOUND_KEYS, MAX_FOUND_LABELS } from "../request-search.ts"
import type { FoundNames } from "../requests.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"

/** Number of hours before the newest one to which the sums of a new model may still be added. */
const LATE_HOURS = 24

/** The names of all models in requests. Only the first search reads all hourly sums. */
export class UsedModels {
  readonly #names = new Set<string>()
  /** The newest hour that was read. */
  #newest: number | undefined

  /** Returns the names, including those of the newest requests. */
  async read(statements: Statements): Promise<ReadonlySet<string>> {
    const conditions = new Conditions()
    if (this.#newest !== undefined) conditions.add("hour >= ?", this.#newest - LATE_HOURS)
    const rows = await statements.rows<{ model: string; newest: number }>(
      `SELECT model, max(hour) AS newest FROM usage_hours ${conditions.where} GROUP BY model`,
      conditions.values,
    )
    for (const { model } of rows) this.#names.add(model)
    this.#newest = Math.max(...rows.map(({ newest }) => newest), this.#newest ?? 0)
    return this.#names
  }
}

/** Returns the names in requests of the given accounts that match a search text. */
export async function findNames(
  { statements, models }: { readonly statements: Statements; readonly models: UsedModels },
  text: string,
  accounts: readonly string[] | undefined,
): Promise<FoundNames> {
  if (text.includes("\0")) return { keys: [], accountsOfKeys: [], models: [], labels: [] }
  const [keys, used, labels] = await Promise.all([
    keysNamed(statements, text, accounts),
    models.read(statements),
    labelsStarting(statements, text),
  ])
  const part = text.toLowerCase()
  return {
    keys: keys.map(({ id }) => id),
    accountsOfKeys: [...new Set(keys.map(({ account }) => account))],
    models: [...used].filter((name) => name.toLowerCase().includes(part)),
    labels,
  }
}

async function keysNamed(
  statements: Statements,
  text: string,
  accounts: readonly string[] | undefined,
): Promise<readonly { readonly id: string; readonly account: string }[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts)
  conditions.add("strpos(lower(name), lower(?)) > 0", text)
  return statements.rows(
    `SELECT id, account FROM keys ${conditions.where} ORDER BY created_at DESC LIMIT ${MAX_FOUND_KEYS}`,
    conditions.values,
  )
}

async function labelsStarting(statements: Statements, text: string): Promise<Label[] | undefined> {
  const found = await Promise.all(
    LABEL_NAMES.map(async (name) => {
      // Each value takes one index lookup. DISTINCT would read all rows.
      const rows = await statements.rows<{ value: string }>(
        `WITH RECURSIVE found (value) AS (
          (SELECT value FROM request_labels WHERE name = $1 AND value >= $2 AND value < $3 ORDER BY value LIMIT 1)
          UNION ALL
          SELECT next.value FROM found CROSS JOIN LATERAL (
            SELECT value FROM request_labels WHERE name = $1 AND value > found.value AND value < $3
            ORDER BY value LIMIT 1) AS next
        ) SELECT value FROM found LIMIT ${MAX_FOUND_LABELS + 1}`,
        [name, text, text + AFTER_TEXTS],
      )
      return rows.map(({ value }) => ({ name, value }))
    }),
  )
  return found.some((labels) => labels.length > MAX_FOUND_LABELS) ? undefined : found.flat()
}
