import { accountChange } from "#contract/accounts.ts"
import { creditChange } from "#contract/common.ts"
import { newKey } from "#contract/keys.ts"
import { readNetwork } from "../../config/addresses.ts"
import { Fault } from "../../config/reading.ts"
import { formatCredits } from "../../ledger/money.ts"
import type { ForeignSecret, ImportedAccount, ImportedKey } from "../../management/imports.ts"
import type { Variables } from "./variables.ts"

/** The result of importing an item of the other gateway. */
export type Fate = "carried" | "changed" | "left out" | "to decide"

/** A line on the page of differences. It never contains a secret. */
export interface Difference {
  readonly fate: Fate
  /** The item in the other gateway's terms, such as `model gpt-4o` or `key alice`. */
  readonly subject: string
  readonly words: string
}

export interface PlannedKey extends Omit<ImportedKey, "secret"> {
  /** Undefined if the secret is unknown, so that the key gets a new one. */
  readonly secret: ForeignSecret | undefined
}

export interface PlannedAccount extends Omit<ImportedAccount, "id" | "keys"> {
  readonly keys: readonly PlannedKey[]
  /** The operator's name for the other installation; absent if there is only one. */
  readonly source?: string
}

/** Everything that an import would write. */
export interface ImportPlan {
  /** The contents of the settings file. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly variables: Variables
  readonly accounts: readonly PlannedAccount[]
  readonly differences: Differences
}

/** Collects the lines of the page of differences. */
export class Differences {
  readonly #found = new Map<string, Difference>()

  carried(subject: string, words: string): void {
    this.#add({ fate: "carried", subject, words })
  }

  changed(subject: string, words: string): void {
    this.#add({ fate: "changed", subject, words })
  }

  leftOut(subject: string, words: string): void {
    this.#add({ fate: "left out", subject, words })
  }

  /** Corrects a line that records an item as carried over. */
  notCarried(subject: string, words: string): void {
    for (const [key, { fate, subject: other }] of this.#found)
      if (fate === "carried" && other === subject) this.#found.delete(key)
    this.leftOut(subject, words)
  }

  toDecide(subject: string, words: string): void {
    this.#add({ fate: "to decide", subject, words })
  }

  get list(): readonly Difference[] {
    return [...this.#found.values()]
  }

  /** Adds a line, unless it has been added before. */
  #add(difference: Difference): void {
    this.#found.set(JSON.stringify(Object.values(difference)), difference)
  }
}

const MAX_NAME_LENGTH = 100

/** Converts a value to a name that is valid for accounts and keys. */
export function labelOf(value: unknown): string {
  const text = String(value ?? "")
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .trim()
  return text === "" ? "unnamed" : text
}

/** Whether a member can be omitted without a loss. */
export function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === 0 || value === false)
    return true
  return typeof value === "object" && Object.keys(value).length === 0
}

/** Returns an id derived from an item's origin, so that a repeated import finds the existing records. */
export function importedId(prefix: "key" | "acc", origin: string): string {
  const digest = new Bun.CryptoHasher("sha256").update(origin).digest("hex")
  return `${prefix}_${digest.slice(0, 24)}`
}

/**
 * Returns the name, or a different one if an earlier account has it.
 * @param taken the names of earlier accounts.
 */
export function uniqueName(name: string, origin: string, taken: Set<string>): string {
  const unique = taken.has(name) ? labelOf(`${name.slice(0, 50)} (${origin})`) : name
  taken.add(unique)
  return unique
}

/**
 * Returns the accounts that can be written. Keys that have expired, are duplicates, or would be rejected by the
 * management API are omitted and reported, so that no write fails halfway.
 */
export function writableAccounts(
  accounts: readonly PlannedAccount[],
  differences: Differences,
): PlannedAccount[] {
  const ids = new Set<string>()
  return accounts.map((account) => {
    const keys = account.keys.filter((key) => {
      const isSecond = ids.has(key.id)
      ids.add(key.id)
      if (isSecond) differences.leftOut(`key ${key.input.name}`, "the same key is listed before it")
      return !isSecond && isWritable(key, differences)
    })
    const credits = writableCredits(account, differences)
    const words = `${keys.length} keys, ${formatCredits(credits)} credits`
    differences.carried(`account ${account.name}`, words)
    return { ...account, ...writableLimits(account, differences), credits, keys }
  })
}

function writableCredits({ name, credits }: PlannedAccount, differences: Differences): bigint {
  const amount = formatCredits(credits)
  if (creditChange.safeParse(amount).success) return credits
  const words = `its ${amount} credits exceed the maximum grant. Grant the credits by hand`
  differences.toDecide(`account ${name}`, words)
  return 0n
}

function isWritable({ input }: PlannedKey, differences: Differences): boolean {
  const subject = `key ${input.name}`
  if (typeof input.expires_at === "string" && Date.parse(input.expires_at) <= Date.now()) {
    differences.leftOut(subject, `it expired at ${input.expires_at}`)
    return false
  }
  const wrong = input.addresses?.find((address) => readNetwork(address) instanceof Fault)
  const { error } = newKey.safeParse({ account: "account", ...input })
  const [issue] = error?.issues ?? []
  if (wrong === undefined && !issue) return true
  const words = issue
    ? `'${issue.path.join(".")}' ${issue.message}`
    : `'${wrong}' is not an address`
  differences.leftOut(subject, `${words}. Create the key by hand`)
  return false
}

/** Pauses an account if one of its limits cannot be imported, because it would be allowed more than before. */
function writableLimits(
  { name, limits, isPaused }: PlannedAccount,
  differences: Differences,
): Pick<PlannedAccount, "limits" | "isPaused"> {
  const { error } = accountChange.safeParse(limits)
  const wrong = new Set((error?.issues ?? []).map(({ path }) => String(path[0])))
  for (const limit of wrong) {
    const words = `paused: '${limit}' is out of range. Set it by hand, then resume the account`
    differences.toDecide(`account ${name}`, words)
  }
  const kept = Object.entries(limits).filter(([limit]) => !wrong.has(limit))
  return { limits: Object.fromEntries(kept), isPaused: isPaused || wrong.size > 0 }
}
