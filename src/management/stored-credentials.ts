import { type RawEntry, secretNames } from "../config/console-settings.ts"
import { asObject } from "../config/issues.ts"
import { defaultName } from "../config/sections/providers.ts"
import { refused } from "./entry-refusal.ts"

/** The members of a credential that say which one it is; name and weight do not. */
const SECRET_MEMBERS = ["api_key", "access_key_id", "secret_access_key", "credentials"]

/** A change of a provider in which each credential is whole. */
export interface CompletedChange {
  readonly change: RawEntry
  /** The names of the secrets that the caller has given: all others were stored before. */
  readonly given: readonly string[]
}

/**
 * Completes a list of credentials with those that are stored, so that nobody has to give all of them again for the sake
 * of one. An entry without a credential means the one that is stored under its name, or under the name `was`. Of a
 * provider with a single key it means that one.
 * @throws GatewayError `invalid_value` naming the entry, where none is stored.
 */
export function completedChange(before: RawEntry, change: RawEntry): CompletedChange {
  const list = change["api_keys"]
  if (!Array.isArray(list)) return { change, given: givenNames(change) }
  const stored = storedCredentials(before)
  const completed = list.map((entry: unknown, index) => {
    const named = asObject(entry)
    if (named === undefined || isComplete(named)) return entry
    const { was, ...written } = named
    const name = String(was ?? written["name"] ?? defaultName(index))
    const found = stored.get(name) ?? stored.get(SINGLE)
    // What it is told is what the rules for files say, unless it names something.
    if (found === undefined && was === undefined) return entry
    if (found === undefined) {
      throw refused(`api_keys[${index}].was`, "There is no key of that name. Give the key itself.")
    }
    return { ...found, ...written, name: String(written["name"] ?? name) }
  })
  const typed = list.flatMap((entry: unknown, index) => {
    const named = asObject(entry)
    const isTyped = named === undefined || isComplete(named)
    return isTyped ? [{ name: named?.["name"] ?? defaultName(index) }] : []
  })
  return {
    change: { ...change, api_keys: completed },
    given: givenNames({ ...change, api_keys: typed }),
  }
}

/** In the place of a name: that of a provider with one key. */
const SINGLE = ""

function storedCredentials(before: RawEntry): ReadonlyMap<string, RawEntry> {
  const list = before["api_keys"]
  if (!Array.isArray(list)) {
    const only = before["api_key"]
    return new Map(typeof only === "string" ? [[SINGLE, { api_key: only }]] : [])
  }
  return new Map(
    list.map((entry: unknown, index): [string, RawEntry] => {
      const credential = asObject(entry) ?? { api_key: entry }
      return [String(credential["name"] ?? defaultName(index)), credential]
    }),
  )
}

function isComplete(entry: RawEntry): boolean {
  return SECRET_MEMBERS.some((name) => entry[name] !== undefined)
}

function givenNames(change: RawEntry): string[] {
  const set = Object.entries(change).filter(([, value]) => value !== null)
  return secretNames(Object.fromEntries(set))
}
