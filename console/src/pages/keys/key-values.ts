import { DAY_MS } from "tollgate-contract/durations.ts"
import type { Key, KeyChange } from "tollgate-contract/keys.ts"
import { readCredits } from "../../format/credits.ts"
import { checkOptional } from "../credits/amount-check.ts"
import { fromLocalField, toLocalField } from "../../format/moments.ts"
import { t } from "../../languages/text.ts"

/** The values of the key form as text, under the API's names so that errors match their fields. */
export interface KeyValues {
  readonly account: string
  readonly name: string
  /** `never`, `keep`, a number of days, or `custom`. */
  readonly expiry: string
  /** Value of a `datetime-local` field; used if the expiry is `custom`. */
  readonly expires_at: string
  readonly models: string[]
  readonly origins: string[]
  readonly addresses: string[]
  readonly is_read_only: boolean
  /** The aliases, each written as `name=provider/model`. */
  readonly aliases: string[]
  readonly budget: string
  readonly daily_budget: string
  readonly monthly_budget: string
  readonly requests_per_minute: string
  readonly tokens_per_minute: string
  readonly concurrent_requests: string
}

export const EMPTY_KEY: KeyValues = {
  account: "",
  name: "",
  expiry: "never",
  expires_at: "",
  models: [],
  origins: [],
  addresses: [],
  is_read_only: false,
  aliases: [],
  budget: "",
  daily_budget: "",
  monthly_budget: "",
  requests_per_minute: "",
  tokens_per_minute: "",
  concurrent_requests: "",
}

/** Converts a key to form values. */
export function valuesOf(key: Key): KeyValues {
  return {
    account: key.account,
    name: key.name,
    expiry: key.expires_at === null ? "never" : "custom",
    expires_at: toLocalField(key.expires_at),
    models: [...(key.models ?? [])],
    origins: [...(key.origins ?? [])],
    addresses: [...(key.addresses ?? [])],
    is_read_only: key.is_read_only,
    aliases: Object.entries(key.aliases ?? {}).map(([alias, id]) => `${alias}=${id}`),
    budget: key.budget?.limit ?? "",
    daily_budget: key.daily_budget?.limit ?? "",
    monthly_budget: key.monthly_budget?.limit ?? "",
    requests_per_minute: key.requests_per_minute?.toString() ?? "",
    tokens_per_minute: key.tokens_per_minute?.toString() ?? "",
    concurrent_requests: key.concurrent_requests?.toString() ?? "",
  }
}

/** Builds the API body from validated values. Null means no limit. */
export function bodyOf(values: KeyValues, now = Date.now()): KeyChange & { name: string } {
  return {
    name: values.name.trim(),
    models: listOf(values.models),
    aliases: aliasesOf(values.aliases),
    budget: readCredits(values.budget) ?? null,
    daily_budget: readCredits(values.daily_budget) ?? null,
    monthly_budget: readCredits(values.monthly_budget) ?? null,
    requests_per_minute: wholeOf(values.requests_per_minute),
    tokens_per_minute: wholeOf(values.tokens_per_minute),
    concurrent_requests: wholeOf(values.concurrent_requests),
    expires_at: expiryOf(values, now),
    origins: listOf(values.origins),
    addresses: listOf(values.addresses),
    is_read_only: values.is_read_only,
  }
}

/** Returns only the fields that differ from the current key. */
export function changesOf(key: Key, values: KeyValues): KeyChange {
  const before = bodyOf(valuesOf(key))
  const after = bodyOf(values)
  const hasSameMoment = values.expires_at === toLocalField(key.expires_at)
  if (values.expiry === "custom" && hasSameMoment) delete after.expires_at
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof KeyChange]),
  )
  return Object.fromEntries(changed)
}

/** The check of each field. A check returns an error, or null if the value is valid. */
export const KEY_CHECKS = {
  account: (value: string) => (value === "" ? t("Choose the account that pays") : null),
  name: (value: string) => (value.trim() === "" ? t("Enter a name") : null),
  expires_at: (value: string, values: KeyValues) =>
    values.expiry === "custom" && fromLocalField(value) === undefined ? t("Enter a time") : null,
  aliases: checkAliases,
  budget: checkOptional,
  daily_budget: checkOptional,
  monthly_budget: checkOptional,
  requests_per_minute: checkWhole,
  tokens_per_minute: checkWhole,
  concurrent_requests: checkWhole,
}

/** Splits pasted text at commas and spaces, which globs, origins and aliases cannot contain. */
function partsOf(typed: readonly string[]): string[] {
  return typed.flatMap((text) => text.split(/[,\s]+/)).filter((part) => part !== "")
}

function listOf(typed: readonly string[]): string[] | null {
  const parts = partsOf(typed)
  return parts.length === 0 ? null : parts
}

const ALIAS = /^([^\s,=]{1,200})=([a-z0-9][a-z0-9-]*\/[^\s,]{1,200})$/

function checkAliases(typed: readonly string[]): string | null {
  const fault = partsOf(typed).find((text) => !ALIAS.test(text))
  return fault === undefined
    ? null
    : t("''{fault}'' must have the form gpt-4o=openai/gpt-5.4", { fault })
}

/** Parses validated aliases. If a name occurs twice, the later entry wins. */
function aliasesOf(typed: readonly string[]): Record<string, string> | null {
  const pairs = partsOf(typed).flatMap((text) => {
    const [, alias, id] = ALIAS.exec(text) ?? []
    return alias === undefined || id === undefined ? [] : [[alias, id] as const]
  })
  return pairs.length === 0 ? null : Object.fromEntries(pairs)
}

function checkWhole(value: string): string | null {
  if (value.trim() === "") return null
  return wholeOf(value) === null ? t("Enter a whole number above zero") : null
}

function wholeOf(value: string): number | null {
  const digits = value.replace(/[\s,_]/g, "")
  const whole = /^\d{1,10}$/.test(digits) ? Number(digits) : 0
  return whole > 0 ? whole : null
}

function expiryOf(values: KeyValues, now: number): string | null {
  if (values.expiry === "never") return null
  if (values.expiry === "custom") return fromLocalField(values.expires_at) ?? null
  return new Date(now + Number(values.expiry) * DAY_MS).toISOString()
}
