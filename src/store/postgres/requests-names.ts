import type { Label } from "../../accounting/labels.ts"
import { AFTER_TEXTS, LABEL_NAMES, MAX_FOUND_KEYS, MAX_FOUND_LABELS } from "../request-search.ts"
import type { FoundNames } from "../requests.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"

/** Returns the names in requests of some accounts that match a search text. */
export async function findNames(
  statements: Statements,
  text: string,
  accounts: readonly string[] | undefined,
): Promise<FoundNames> {
  if (text.includes("\0")) return { keys: [], models: [], labels: [] }
  const [keys, models, labels] = await Promise.all([
    keysNamed(statements, text, accounts),
    modelsNamed(statements, text, accounts),
    labelsStarting(statements, text),
  ])
  return { keys, models, labels }
}

async function keysNamed(
  statements: Statements,
  text: string,
  accounts: readonly string[] | undefined,
): Promise<string[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts)
  conditions.add("strpos(lower(name), lower(?)) > 0", text)
  const rows = await statements.rows<{ id: string }>(
    `SELECT id FROM keys ${conditions.where} ORDER BY created_at DESC LIMIT ${MAX_FOUND_KEYS}`,
    conditions.values,
  )
  return rows.map(({ id }) => id)
}

async function modelsNamed(
  statements: Statements,
  text: string,
  accounts: readonly string[] | undefined,
): Promise<string[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts)
  conditions.add("strpos(lower(model), lower(?)) > 0", text)
  const rows = await statements.rows<{ model: string }>(
    `SELECT DISTINCT model FROM usage_hours ${conditions.where}`,
    conditions.values,
  )
  return rows.map(({ model }) => model)
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
