import {
  INPUT_CLASSES,
  OUTPUT_CLASSES,
  USAGE_CLASSES,
  type UsageClass,
} from "#contract/usage-classes.ts"
import type { Writable } from "./writable.ts"
import { type JsonObject, objectAt } from "./json.ts"

/**
 * The usage of one request, in quantities that never overlap, so that a cost is a plain sum over the classes of
 * `tollgate-contract/usage-classes.ts`. docs/contribute/wire/README.md#f4 describes the counts of each vendor.
 */
export interface Usage extends Readonly<Record<UsageClass, number>> {
  /** The part of `output` that was reasoning. It is reported to the caller, but not priced again. */
  readonly reasoning: number
  /** The part of `inputCacheWrite` whose short lifetime the vendor reported. It is never repriced. */
  readonly shortCacheWrite: number
}

export const NO_USAGE: Usage = Object.freeze({
  inputFresh: 0,
  inputCacheRead: 0,
  inputCacheWrite: 0,
  inputCacheWrite1h: 0,
  inputCacheWrite12h: 0,
  shortCacheWrite: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  imageInput: 0,
  audioCacheRead: 0,
  audioOutput: 0,
  imageOutput: 0,
  reasoningBeside: 0,
  images: 0,
  characters: 0,
  seconds: 0,
  searches: 0,
  premiumSearches: 0,
  mapSearches: 0,
  fileSearches: 0,
  codeSessions: 0,
  requests: 0,
  mediumRequests: 0,
  lowRequests: 0,
})

/**
 * Returns all input tokens, regardless of price. Context limits and price tiers apply to this number. The sums in this
 * file are written out, because a loop over the table takes eight times as long. test/canon/usage-classes.test.ts
 * checks that no class is missing.
 */
export function totalInput(usage: Usage): number {
  return (
    usage.inputFresh +
    usage.inputCacheRead +
    usage.inputCacheWrite +
    usage.inputCacheWrite1h +
    usage.inputCacheWrite12h +
    usage.audioInput +
    usage.audioCacheRead +
    usage.imageInput
  )
}

/** Returns the tokens written to a prompt cache, of any lifetime. */
export function cacheWrites(
  usage: Pick<Usage, "inputCacheWrite" | "inputCacheWrite1h" | "inputCacheWrite12h">,
): number {
  return usage.inputCacheWrite + usage.inputCacheWrite1h + usage.inputCacheWrite12h
}

export function totalOutput(usage: Usage): number {
  return usage.output + usage.audioOutput + usage.imageOutput + usage.reasoningBeside
}

/** Reports whether all counts are zero. */
export function isNoUsage(usage: Usage): boolean {
  return (
    totalInput(usage) + totalOutput(usage) + usage.images + usage.characters === 0 &&
    usage.seconds + usage.searches + usage.premiumSearches + usage.mapSearches === 0 &&
    usage.fileSearches + usage.codeSessions === 0
  )
}

/** Usage classes that are counted in units instead of tokens. */
const UNIT_CLASSES = USAGE_CLASSES.filter(
  (name) => !INPUT_CLASSES.includes(name) && !OUTPUT_CLASSES.includes(name),
)
const INPUT_COUNTS = [...INPUT_CLASSES, "shortCacheWrite"] as const
const OUTPUT_COUNTS = [...OUTPUT_CLASSES, "reasoning"] as const

/**
 * Output tokens that Anthropic reports in advance (docs/contribute/wire/anthropic-messages.md#f9). A later zero
 * replaces this number.
 */
const PLACEHOLDER_TOKENS = 1

/**
 * Merges a later report of the same usage. Its counts replace earlier ones, but an absent or zero count erases nothing.
 * Input and output are each replaced as a whole, because a later report may divide them differently.
 */
export function laterUsage(earlier: Usage, later: Usage): Usage {
  const hasInput = totalInput(later) > 0 || totalInput(earlier) === 0
  const hasOutput = totalOutput(later) > 0 || totalOutput(earlier) <= PLACEHOLDER_TOKENS
  const lacking = UNIT_CLASSES.filter((name) => later[name] === 0 && earlier[name] > 0)
  if (hasInput && hasOutput && lacking.length === 0) return later
  const merged: Writable<Usage> = { ...later }
  if (!hasInput) for (const name of INPUT_COUNTS) merged[name] = earlier[name]
  if (!hasOutput) for (const name of OUTPUT_COUNTS) merged[name] = earlier[name]
  for (const name of lacking) merged[name] = earlier[name]
  return merged
}

export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Writable<Usage> = { ...left }
  for (const name of Object.keys(NO_USAGE) as (keyof Usage)[]) sum[name] += right[name]
  return sum
}

/** Returns the total usage of several calls; undefined if a call was not counted, since that call would be free. */
export function usageOfCalls(usages: readonly (Usage | undefined)[]): Usage | undefined {
  let sum = NO_USAGE
  for (const usage of usages) {
    if (usage === undefined || isNoUsage(usage)) return undefined
    sum = addUsage(sum, usage)
  }
  return sum
}

const TOKEN_COUNTS = [...INPUT_COUNTS, ...OUTPUT_COUNTS]

/** Combines the tokens of one usage with all other counts of another. */
export function withTokensOf(tokens: Usage, rest: Usage): Usage {
  const joined: Writable<Usage> = { ...rest }
  for (const name of TOKEN_COUNTS) joined[name] = tokens[name]
  return joined
}

/** Combines the input of one usage with all other counts of another. */
export function withInputOf(input: Usage, rest: Usage): Usage {
  const joined: Writable<Usage> = { ...rest }
  for (const name of INPUT_COUNTS) joined[name] = input[name]
  return joined
}

/**
 * Divides the usage of several calls into the usage of the longest call and the usage of all others.
 * @param calls the usage that each call reported; not empty.
 * @returns the usage of the longest call, including usage that no call reported, and the tokens of the other calls.
 */
export function divideUsage(
  sum: Usage,
  calls: readonly Usage[],
): { readonly longest: Usage; readonly others: readonly Usage[] } {
  let index = 0
  for (const [at, call] of calls.entries()) {
    if (totalInput(call) > totalInput(calls[index] ?? NO_USAGE)) index = at
  }
  const others = calls.filter((_, at) => at !== index).map((call) => withTokensOf(call, NO_USAGE))
  return { longest: withoutTokens(sum, others), others }
}

/** Subtracts the tokens of parts from the whole usage. */
export function withoutTokens(sum: Usage, parts: readonly Usage[]): Usage {
  const rest: Writable<Usage> = { ...sum }
  for (const name of TOKEN_COUNTS) {
    for (const part of parts) rest[name] -= part[name]
    rest[name] = Math.max(0, rest[name])
  }
  return rest
}

/**
 * Adds a cost to the counts of a carrier. Like vendors that report a cost, it adds a number. The receipt has the exact
 * cost.
 */
export function setCostIn(carrier: JsonObject, counts: string, cost: string): void {
  carrier[counts] = { ...objectAt(carrier, counts), cost: Number(cost) }
}
