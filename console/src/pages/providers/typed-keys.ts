import type { Provider } from "tollgate-contract/catalog.ts"

/** A row of the form for one of several keys. */
export interface TypedKey {
  /** Identifies the row while rows are added and removed. */
  readonly row: number
  /** The name under which the secret is stored; null means a new key. */
  readonly was: string | null
  readonly name: string
  /** The typed secret; empty if the stored secret stays. */
  readonly secret: string
  /** The weight, which determines the key's share of the requests. */
  readonly weight: number | string
}

/** The initial name of the first key when the provider gets a second key. */
const FIRST_NAME = "1"

/** Returns the initial rows of the form; undefined if the provider has at most one key. */
export function typedKeysOf({ credentials }: Provider): readonly TypedKey[] | undefined {
  if (credentials.length === 0) return undefined
  return credentials.map(({ name, weight }, row) => ({ row, was: name, name, secret: "", weight }))
}

/**
 * Returns the rows of the form when the provider gets a second key.
 * @param isSet whether the first key is stored.
 */
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

/** Reports whether the rows are complete: each key has a unique name, and each new key has a secret. */
export function areComplete(keys: readonly TypedKey[]): boolean {
  const names = new Set(keys.map(({ name }) => name.trim()))
  return (
    names.size === keys.length &&
    keys.every(
      ({ was, name, secret }) => name.trim() !== "" && (was !== null || secret.trim() !== ""),
    )
  )
}

/** Converts the rows to the API's form. A secret that was not typed again refers to its stored name. */
export function entriesOf(keys: readonly TypedKey[]): readonly object[] {
  return keys.map(({ was, name, secret, weight }) => ({
    name: name.trim(),
    weight: Number(weight),
    ...(secret.trim() !== "" && { api_key: secret.trim() }),
    ...(secret.trim() === "" && was !== null && was !== name.trim() && { was }),
  }))
}
