import type { Payer } from "../accounting/payer.ts"
import type { KeyRecord } from "../store/keys.ts"
import { globMatcher } from "./model-glob.ts"
import { payersOf } from "./payer.ts"

/** A key, ready for the hot path: everything that a request needs from it is in memory. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly account: string
  /** The payer at a moment, Unix milliseconds. */
  readonly payerAt: (now: number) => Payer
  readonly requestsPerMinute: number | undefined
  readonly tokensPerMinute: number | undefined
  /** How many may run at the same time. */
  readonly concurrentRequests: number | undefined
  /** Unix milliseconds; undefined: never. */
  readonly expiresAt: number | undefined
  readonly revoked: boolean
  /** Whether prompts and answers of its account are stored. */
  readonly storesContent: boolean
  /** Origins of browser pages that may call with it, in addition to those of the settings. */
  readonly origins: readonly string[]
  /** Whether it may call this model. Undefined: it may call all. */
  readonly allows: ((model: string) => boolean) | undefined
  /** Additional names of models, with their ids. */
  readonly aliases: ReadonlyMap<string, string> | undefined
}

/** Prepares a stored key. */
export function keyFromRecord(record: KeyRecord): Key {
  return {
    id: record.id,
    name: record.name,
    account: record.account,
    payerAt: payersOf(record),
    requestsPerMinute: record.requestsPerMinute ?? undefined,
    tokensPerMinute: record.tokensPerMinute ?? undefined,
    concurrentRequests: record.concurrentRequests ?? undefined,
    expiresAt: record.expiresAt ?? undefined,
    revoked: record.revokedAt !== null,
    storesContent: record.storesContent,
    origins: record.origins ?? [],
    allows: record.models === null ? undefined : matcher(record.models),
    aliases: record.aliases === null ? undefined : new Map(Object.entries(record.aliases)),
  }
}

/** Caches its results. */
function matcher(globs: readonly string[]): (model: string) => boolean {
  const matchers = globs.map(globMatcher)
  const known = new Map<string, boolean>()
  return (model) => {
    const answer = known.get(model) ?? matchers.some((fits) => fits(model))
    if (known.size < 1_000) known.set(model, answer)
    return answer
  }
}
