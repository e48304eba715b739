import type { Writable } from "../../canon/writable.ts"
import { NO_USAGE, totalInput, type Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import { MIN_IMAGE_TOKENS } from "../../media/generated-image-tokens.ts"
import { ASSUMED_CALLS_FACTOR } from "../../vendors/priced-features/switch.ts"
import { MIN_OUTPUT } from "../fitting/own-limits.ts"
import type { FeatureCosts } from "../priced-features/feature-costs.ts"
import { type Bound, UNKNOWN_MAXIMUM } from "./bounds.ts"

/** Factor for the bound of a model without a known context. `WRAPPED` is the number of tokens that a vendor adds. */
const GENEROUS = 4
const WRAPPED = 4_096

/** Maximum output tokens of each agent, unless the model's own maximum is higher. */
const AGENT_ANSWER = 65_536

/** Input classes in the order in which they are filled up to a bound. */
const INPUTS = [
  "inputFresh",
  "inputCacheWrite",
  "inputCacheWrite1h",
  "inputCacheWrite12h",
  "audioInput",
  "imageInput",
  "inputCacheRead",
  "audioCacheRead",
] as const
const OUTPUTS = ["output", "audioOutput", "imageOutput"] as const
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

/** Classes of calls that a model may make on its own, if the price names them. */
const OWN_CALLS = ["searches", "premiumSearches", "mapSearches"] as const
/** Maximum calls that are charged for a model that is not known to search on its own. */
const UNKNOWN_CALLS = 30

/** The facts about a chat request and its response that bound the usage. */
export interface ChatFacts {
  readonly bound: Bound
  readonly model: Model
  /** The costs of the vendor's own tools. `bound` already includes them. */
  readonly featureCosts: ReadonlyMap<string, FeatureCosts> | undefined
  /** Number of received characters. It bounds the output even if the vendor has ignored the output limit. */
  readonly came: number
}

/** The maximum usage of a request, for its own model and for each second model. */
export interface MaxUsage {
  readonly own: Usage
  readonly second: Usage
}

/** Returns the maximum usage of a chat request, regardless of the usage that its vendor reports. */
export function maxOfChat({ bound, model, featureCosts, came }: ChatFacts): Usage {
  const { choices, rounds, sent } = bound
  const turns = 1 + maxTurns(model, featureCosts)
  const longest = model.context ?? bound.input * GENEROUS + WRAPPED
  const say = model.maxOutput ?? model.context ?? UNKNOWN_MAXIMUM
  const max: Writable<Usage> = {
    ...NO_USAGE,
    // A provider may accept more than the configured context.
    inputFresh: Math.max(bound.input, sent * rounds, longest * rounds * turns) * choices,
    // The caller's output limit does not apply to text that the model writes in further rounds.
    output: Math.max((Math.max(bound.output, MIN_OUTPUT) + (rounds - 1) * say) * choices, came),
    // The caller's output limit does not apply to separately billed reasoning, so its maximum is a multiple of the
    // context.
    reasoningBeside: Math.max(longest, UNKNOWN_MAXIMUM) * GENEROUS * choices,
  }
  if (model.deployments.some(({ price }) => price?.rates.images !== undefined)) {
    max.images = Math.ceil(max.output / MIN_IMAGE_TOKENS) + choices
  }
  for (const { agents = 0 } of model.deployments) {
    max.inputFresh = Math.max(max.inputFresh, longest * (1 + agents) * choices)
    max.output = Math.max(max.output, Math.max(say, AGENT_ANSWER) * agents * choices)
  }
  // The maximum is higher than the budget, because models respect a budget only approximately.
  for (const { separateReasoning } of model.deployments) {
    const longest = bound.isReasoningOff ? 0 : (separateReasoning?.longest ?? 0)
    max.output = Math.max(max.output, (bound.output + longest) * choices)
  }
  for (const name of OWN_CALLS) {
    const isOwn = model.deployments.some(({ price }) => price?.rates[name] !== undefined)
    if (isOwn) max[name] = UNKNOWN_CALLS * choices
  }
  for (const { ownSearches = 0 } of model.deployments) {
    max.searches = Math.max(max.searches, ownSearches * ASSUMED_CALLS_FACTOR * choices)
  }
  for (const { calls } of featureCosts?.values() ?? []) {
    for (const { charge, max: allowed, units, isAssumed } of calls) {
      const most = allowed * units * (isAssumed ? ASSUMED_CALLS_FACTOR : 1)
      max[charge.class] = Math.max(max[charge.class], most)
    }
  }
  return max
}

/** Returns the maximum number of turns of a request for which a vendor or model runs tools. */
function maxTurns({ deployments }: Model, featureCosts: ChatFacts["featureCosts"]): number {
  let max = 0
  for (const { ownSearches = 0 } of deployments) {
    max = Math.max(max, ownSearches * ASSUMED_CALLS_FACTOR)
  }
  for (const { turns } of featureCosts?.values() ?? []) max = Math.max(max, turns.max)
  return max
}

/** Returns the maximum usage of a second model. The output limit of the request may not apply to it. */
export function maxOfSecond(max: Usage, featureCosts: ChatFacts["featureCosts"]): Usage {
  let output = max.output
  for (const { models } of featureCosts?.values() ?? []) {
    for (const { output: each, maxOutput = 0, max: allowed, isAssumed } of models) {
      if (each === undefined) continue
      const tokens = each * allowed * (isAssumed ? ASSUMED_CALLS_FACTOR : 1)
      output = Math.max(output, tokens, maxOutput)
    }
  }
  return output === max.output ? max : { ...max, output }
}

/**
 * Limits the usage to its maximum. Input and output tokens are limited in total, because their classes are unknown
 * before the call. All other quantities are limited by class.
 * @returns the same object if it is within the maximum.
 */
export function cappedAt(max: Usage, usage: Usage): Usage {
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
  held.shortCacheWrite = Math.min(held.shortCacheWrite, held.inputCacheWrite)
  return held
}

function said(usage: Usage): number {
  return usage.output + usage.audioOutput + usage.imageOutput
}

function fill(usage: Writable<Usage>, names: readonly (keyof Usage)[], max: number): void {
  let left = max
  for (const name of names) {
    usage[name] = Math.min(usage[name], left)
    left -= usage[name]
  }
}
