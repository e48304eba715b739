import { type RawEntry, secretNames } from "../config/console-settings.ts"
import { asObject } from "../config/finding.ts"
import { defaultName } from "../config/sections/providers.ts"
import { rejected } from "./entry-rejection.ts"

/** The fields that authenticate a credential. Its name and weight do not. */
const SECRET_MEMBERS = ["api_key", "access_key_id", "secret_access_key", "credentials"]

/** A change to a provider, with completed credentials. */
export interface CompletedChange {
  readonly change: RawEntry
  /** The names of the secrets in the change. All others were already stored. */
  readonly given: readonly string[]
}

/**
 * Completes a list of credentials with stored ones, so that a change to one credential need not contain the others. An
 * entry without a secret refers to the stored credential with its name, or with the name in `was`. If the provider has
 * a single key, the entry refers to this key.
 * @throws GatewayError `invalid_value` with the entry, if there is no stored credential.
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
    // Unless `was` is given, the rules of the settings file report the missing credential.
    if (found === undefined && was === undefined) return entry
    if (found === undefined) {
      throw rejected(
        `api_keys[${index}].was`,
        "There is no key of that name. Enter the key itself.",
      )
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

/** Stands for the missing name of a provider's single key. */
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
