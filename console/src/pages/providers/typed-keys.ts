import type { Provider } from "tollgate-contract/catalog.ts"

/** One of several keys of a provider, as its row in the form has it. */
export interface TypedKey {
  /** Tells the rows apart. */
  readonly row: number
  /** The name under which its secret is stored; null: it is new. */
  readonly was: string | null
  readonly name: string
  /** Empty: the stored one stays. */
  readonly secret: string
  /** Its share of the requests. */
  readonly weight: number | string
}

/** What stands for the one key of a provider until it has a name. */
const FIRST_NAME = "1"

/** The rows that a form begins with; undefined: the provider has one key, or none. */
export function typedKeysOf({ credentials }: Provider): readonly TypedKey[] | undefined {
  if (credentials.length === 0) return undefined
  return credentials.map(({ name, weight }, row) => ({ row, was: name, name, secret: "", weight }))
}

/** The rows when one key becomes several. @param isSet whether that one is stored. */
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

/** Whether the rows can be sent: each has a name of its own, and a new one its secret. */
export function areComplete(keys: readonly TypedKey[]): boolean {
  const names = new Set(keys.map(({ name }) => name.trim()))
  return (
    names.size === keys.length &&
    keys.every(
      ({ was, name, secret }) => name.trim() !== "" && (was !== null || secret.trim() !== ""),
    )
  )
}

/** As the API takes them: secrets that were not typed again are meant by the names they are stored under. */
export function entriesOf(keys: readonly TypedKey[]): readonly object[] {
  return keys.map(({ was, name, secret, weight }) => ({
    name: name.trim(),
    weight: Number(weight),
    ...(secret.trim() !== "" && { api_key: secret.trim() }),
    ...(secret.trim() === "" && was !== null && was !== name.trim() && { was }),
  }))
}
