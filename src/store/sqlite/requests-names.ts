import type { Database } from "bun:sqlite"
import type { Label } from "../../accounting/labels.ts"
import { AFTER_TEXTS, LABEL_NAMES, MAX_FOUND_KEYS, MAX_FOUND_LABELS } from "../request-search.ts"
import type { FoundNames } from "../requests.ts"
import { Conditions } from "./conditions.ts"

interface NamesOf {
  readonly index: Database
  readonly ledger: Database
}

/** Returns the names in requests of the given accounts that match a search text. Each name takes one index lookup. */
export function findNames(
  { index, ledger }: NamesOf,
  text: string,
  accounts: readonly string[] | undefined,
): FoundNames {
  const keys = keysNamed(ledger, text, accounts)
  return {
    keys: keys.map(({ id }) => id),
    accountsOfKeys: [...new Set(keys.map(({ account }) => account))],
    models: modelsNamed(index, text),
    labels: labelsStarting(index, text),
  }
}

interface FoundKey {
  readonly id: string
  readonly account: string
}

function keysNamed(
  ledger: Database,
  text: string,
  accounts: readonly string[] | undefined,
): readonly FoundKey[] {
  const conditions = new Conditions()
  conditions.among("account", accounts)
  conditions.add("instr(lower(name), lower(?)) > 0", text)
  return ledger
    .query<FoundKey, (string | bigint)[]>(
      `SELECT id, account FROM keys ${conditions.where} ORDER BY created_at DESC LIMIT ${MAX_FOUND_KEYS}`,
    )
    .all(...conditions.values)
}

function modelsNamed(index: Database, text: string): string[] {
  return index
    .query<{ name: string }, [string]>(
      `WITH RECURSIVE models (name) AS (
        SELECT min(model) FROM requests UNION ALL
        SELECT (SELECT min(model) FROM requests WHERE model > name) FROM models WHERE name IS NOT NULL
      ) SELECT name FROM models WHERE instr(lower(name), lower(?)) > 0`,
    )
    .all(text)
    .map(({ name }) => name)
}

function labelsStarting(index: Database, text: string): Label[] | undefined {
  const found = LABEL_NAMES.map((name) => ({ name, values: valuesStarting(index, name, text) }))
  if (found.some(({ values }) => values.length > MAX_FOUND_LABELS)) return undefined
  return found.flatMap(({ name, values }) => values.map((value) => ({ name, value })))
}

function valuesStarting(index: Database, name: string, text: string): string[] {
  return index
    .query<{ value: string }, string[]>(
      `WITH RECURSIVE found (value) AS (
        SELECT min(value) FROM request_labels WHERE name = ? AND value >= ? AND value < ? UNION ALL
        SELECT (SELECT min(value) FROM request_labels WHERE name = ? AND value > found.value AND value < ?)
        FROM found WHERE value IS NOT NULL
      ) SELECT value FROM found WHERE value IS NOT NULL LIMIT ${MAX_FOUND_LABELS + 1}`,
    )
    .all(name, text, text + AFTER_TEXTS, name, text + AFTER_TEXTS)
    .map(({ value }) => value)
}
