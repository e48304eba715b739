import type { Writable } from "../../canon/writable.ts"
import { NO_USAGE, totalInput, type Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import type { Terms } from "../billable/terms.ts"
import { type Bound, UNKNOWN_MAXIMUM } from "./bounds.ts"
import { MAX_SEARCHES } from "./bound-cost.ts"

/** Where a model's context is not known: so many times the bound by bytes, and what any vendor wraps around. */
const GENEROUS = 4
const WRAPPED = 4_096
/**
 * Vendors raise a limit on output to their own least, and count their own marks: OpenAI's responses take
 * no less than 16, Cohere was seen to give 6 tokens for 3 (decision 17).
 */
export const MIN_OUTPUT = 16

/** In the order in which they are charged up to a bound. */
const INPUTS = [
  "inputFresh",
  "inputCacheWrite",
  "inputCacheWriteLong",
  "audioInput",
  "imageInput",
  "inputCacheRead",
  "audioCacheRead",
] as const
const OUTPUTS = ["output", "audioOutput"] as const
const COUNTED = [
  "reasoningBeside",
  "images",
  "characters",
  "seconds",
  "searches",
  "premiumSearches",
  "mapSearches",
  "fileSearches",
  "codeSessions",
] as const

/** What a model may do by itself that is priced as its own, so that a hold allows for it. */
const OWN_CALLS = ["searches", "premiumSearches", "mapSearches"] as const

/** A chat request and its answer, as far as they bound what was used. */
export interface ChatFacts {
  readonly bound: Bound
  readonly model: Model
  /** What the vendor does by itself: `bound` is widened by it already. */
  readonly terms: ReadonlyMap<string, Terms> | undefined
  /** Characters that came. A vendor that knows no such limit has said them all the same. */
  readonly came: number
}

/** The most that a chat request can have used, whatever its vendor says. */
export function maxOfChat({ bound, model, terms, came }: ChatFacts): Usage {
  const { choices, rounds } = bound
  const longest = model.context ?? bound.input * GENEROUS + WRAPPED
  const say = model.maxOutput ?? model.context ?? UNKNOWN_MAXIMUM
  const max: Writable<Usage> = {
    ...NO_USAGE,
    inputFresh: Math.max(bound.input, longest * rounds) * choices,
    // What a vendor has its model write for itself is no answer, which the caller's limit is about.
    output: Math.max((Math.max(bound.output, MIN_OUTPUT) + (rounds - 1) * say) * choices, came),
    // Such reasoning has no limit of the caller's: a few times what the model can hold.
    reasoningBeside: Math.max(longest, UNKNOWN_MAXIMUM) * GENEROUS * choices,
  }
  for (const name of OWN_CALLS) {
    const isOwn = model.deployments.some(({ price }) => price?.rates[name] !== undefined)
    if (isOwn) max[name] = MAX_SEARCHES
  }
  for (const { calls } of terms?.values() ?? []) {
    for (const { charge, max: allowed, units } of calls) {
      max[charge.class] = Math.max(max[charge.class], allowed * units)
    }
  }
  for (const name of OWN_CALLS) max[name] *= choices
  return max
}

/**
 * A usage held to the most that there can have been: tokens in and out as a whole, since no one knows
 * beforehand of which class they will be, all else by its kind.
 * @returns the very usage where it is within.
 */
export function heldTo(max: Usage, usage: Usage): Usage {
  const isWithin =
    totalInput(usage) <= totalInput(max) &&
    said(usage) <= said(max) &&
    COUNTED.every((name) => usage[name] <= max[name])
  if (isWithin) return usage
  const held: Writable<Usage> = { ...usage }
  fill(held, INPUTS, totalInput(max))
  fill(held, OUTPUTS, said(max))
  for (const name of COUNTED) held[name] = Math.min(held[name], max[name])
  held.reasoning = Math.min(held.reasoning, held.output)
  return held
}

function said(usage: Usage): number {
  return usage.output + usage.audioOutput
}

function fill(usage: Writable<Usage>, names: readonly (keyof Usage)[], max: number): void {
  let left = max
  for (const name of names) {
    usage[name] = Math.min(usage[name], left)
    left -= usage[name]
  }
}
