import type { Provider } from "tollgate-contract/catalog.ts"

/** A row of the form for one of several keys. */
export interface TypedKey {
  /** A stable key of the row. */
  readonly row: number
  /** The name of the stored secret; null: a new key. */
  readonly was: string | null
  readonly name: string
  /** Empty: the stored secret stays. */
  readonly secret: string
  /** Its share of the requests. */
  readonly weight: number | string
}

/** The initial name of the first key when one key becomes several. */
const FIRST_NAME = "1"

/** Returns the initial rows of the form; undefined: the provider has at most one key. */
export function typedKeysOf({ credentials }: Provider): readonly TypedKey[] | undefined {
  if (credentials.length === 0) return undefined
  return credentials.map(({ name, weight }, row) => ({ row, was: name, name, secret: "", weight }))
}

/** Returns the rows when one key becomes several. @param isSet whether the first key is stored. */
export function severalKeys(isSet: boolean, secret: string): readonly TypedKey[] {
  const first = { row: 0, was: isSet ? FIRST_NAME : null, name: FIRST_NAME, secret, weight: 1 }
  return withAnother([first])
}

export function withAnother(keys: readonly TypedKey[]): readonly TypedKey[] {
  const names = new Set(keys.map(({ name }) => name))
  let number = keys.length + 1
  while (names.has(String(number))) number++
  const row = Math.max(0, ...keys.map((key) => key.row)) + 1
  return [...keys, { row, was: null, name: String(number), secret: "", weight: 1 }]
}

/** Reports whether the rows are complete: each has a unique name, and each new one has a secret. */
export function areComplete(keys: readonly TypedKey[]): boolean {
  const names = new Set(keys.map(({ name }) => name.trim()))
  return (
    names.size === keys.length &&
    keys.every(
      ({ was, name, secret }) => name.trim() !== "" && (was !== null || secret.trim() !== ""),
    )
  )
}

/**
 * Converts the rows to the API's form. Secrets that were not typed again refer to their stored
 * names.
 */
export function entriesOf(keys: readonly TypedKey[]): readonly object[] {
  return keys.map(({ was, name, secret, weight }) => ({
    name: name.trim(),
    weight: Number(weight),
    ...(secret.trim() !== "" && { api_key: secret.trim() }),
    ...(secret.trim() === "" && was !== null && was !== name.trim() && { was }),
  }))
}
