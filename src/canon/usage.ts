import type { Writable } from "./writable.ts"
import { type JsonObject, objectAt } from "./json.ts"

/**
 * What one request used, in quantities that never overlap, so that a cost is a plain sum over the
 * classes. How each vendor counts, and what is inside what, is docs/wire/README.md#f4.
 */
export interface Usage {
  /** Input tokens that were neither read from nor written to a prompt cache, audio and images left out. */
  readonly inputFresh: number
  /** Input tokens read from a prompt cache. */
  readonly inputCacheRead: number
  /** Input tokens written to a prompt cache that lives for minutes. */
  readonly inputCacheWrite: number
  /** Input tokens written to a prompt cache that lives for an hour. */
  readonly inputCacheWriteLong: number
  /** Output tokens, reasoning included, audio left out. */
  readonly output: number
  /** The part of `output` that was reasoning: told to the caller, never priced again. */
  readonly reasoning: number
  /** Audio tokens in the input. */
  readonly audioInput: number
  /** Tokens of images in the input, where the vendor tells them apart. */
  readonly imageInput: number
  /** Audio tokens in the input that were read from a prompt cache. */
  readonly audioCacheRead: number
  /** Audio tokens in the output. */
  readonly audioOutput: number
  /** Tokens of reasoning that a vendor counts beside the output and at a rate of their own. */
  readonly reasoningBeside: number
  /** Images made. */
  readonly images: number
  /** Characters of text spoken. */
  readonly characters: number
  /** Seconds of sound heard. */
  readonly seconds: number
  /** Searches made, as rerankers, searching models and tools that search the web count them. */
  readonly searches: number
  /** Searches of a dearer kind, where a vendor has two. */
  readonly premiumSearches: number
  /** Searches of maps. */
  readonly mapSearches: number
  /** Searches of files that are kept at the vendor. */
  readonly fileSearches: number
  /** Sessions of a container that runs code, or runs of code, as the vendor counts them. */
  readonly codeSessions: number
  /** Requests themselves, where a vendor charges for each one beside its tokens. */
  readonly requests: number
}

/** The classes of usage that have a price. */
export type UsageClass = Exclude<keyof Usage, "reasoning">

/** Nothing used. */
export const NO_USAGE: Usage = Object.freeze({
  inputFresh: 0,
  inputCacheRead: 0,
  inputCacheWrite: 0,
  inputCacheWriteLong: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  imageInput: 0,
  audioCacheRead: 0,
  audioOutput: 0,
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
})

/** All tokens that went in, whatever they cost: what a context limit and a price tier count. */
export function totalInput(usage: Usage): number {
  return (
    usage.inputFresh +
    usage.inputCacheRead +
    usage.inputCacheWrite +
    usage.inputCacheWriteLong +
    usage.audioInput +
    usage.audioCacheRead +
    usage.imageInput
  )
}

/** All tokens that came out. */
export function totalOutput(usage: Usage): number {
  return usage.output + usage.audioOutput + usage.reasoningBeside
}

/** Whether nothing at all was counted. */
export function isNoUsage(usage: Usage): boolean {
  return (
    totalInput(usage) + totalOutput(usage) + usage.images + usage.characters === 0 &&
    usage.seconds + usage.searches + usage.premiumSearches + usage.mapSearches === 0 &&
    usage.fileSearches + usage.codeSessions === 0
  )
}

/** Two usages together. */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Writable<Usage> = { ...left }
  for (const name of Object.keys(NO_USAGE) as (keyof Usage)[]) sum[name] += right[name]
  return sum
}

/** Puts a cost beside the counts of a carrier: a number, as vendors that tell a cost have it; the receipt has the exact one. */
export function setCostIn(carrier: JsonObject, counts: string, cost: string): void {
  carrier[counts] = { ...objectAt(carrier, counts), cost: Number(cost) }
}
