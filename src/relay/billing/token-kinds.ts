import type { UsageClass } from "#contract/usage-classes.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import { isJsonObject, type JsonValue, listAt, objectAt } from "../../canon/json.ts"
import type { CacheMarker, Message, Part } from "../../canon/message.ts"
import type { Tool } from "../../canon/tool.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"

/** Kinds of tokens that have separate rates, as bits. A hold covers the kinds that its request can cause. */
const AUDIO_INPUT = 1
const IMAGE_INPUT = 2
const AUDIO_OUTPUT = 4
const HOUR_CACHE_WRITE = 8
/** Images in the response that have a price in addition to their tokens. */
export const PRICED_IMAGES = 16
const HALF_DAY_CACHE_WRITE = 32
/** Tokens of images in the response. */
const IMAGE_OUTPUT = 64

/** All kinds of media tokens, for files, unknown parts, and content that the vendor stores. */
export const ANY_MEDIA = AUDIO_INPUT | IMAGE_INPUT

/** The kind of cache writes for each lifetime that a request can set. An unknown lifetime counts as the longest. */
const LIFETIMES: Readonly<Record<string, number>> = {
  "5m": 0,
  "30m": 0,
  "1h": HOUR_CACHE_WRITE,
  "12h": HALF_DAY_CACHE_WRITE,
}

/** Returns the kinds of tokens that a part of a message can count as. */
export function kindsOfPart(part: Part): number {
  let kinds = kindsOfType(part)
  if ("cache" in part) kinds |= lifetimeOf(part.cache?.ttl)
  if ("standsFor" in part) kinds |= lifetimeIn(part.standsFor?.fields)
  // In the caller's own dialect, providers receive these fields unchanged.
  if ("extra" in part) kinds |= lifetimeIn(part.extra?.fields)
  if (part.type !== "tool-result") return kinds
  return part.content.reduce((sum, chunk) => sum | kindsOfPart(chunk), kinds)
}

function kindsOfType({ type }: Part): number {
  if (type === "image") return IMAGE_INPUT
  if (type === "audio") return AUDIO_INPUT
  return type === "file" || type === "unknown" ? ANY_MEDIA : 0
}

/** Returns the kinds of tokens that a message can cause, except the kinds of its parts. */
export function kindsOfMessage({ extra }: Message): number {
  return lifetimeIn(extra?.fields)
}

/** Returns the kinds of tokens that a request can cause, except the kinds in its messages. */
export function kindsOfRequest({ tools, modalities, speech, extra }: ChatRequest): number {
  const isSpoken = modalities?.includes("audio") ?? speech !== undefined
  let kinds = isSpoken ? AUDIO_OUTPUT : 0
  for (const { cache, extra: own, origin } of tools ?? []) {
    kinds |= lifetimeOf(cache?.ttl) | lifetimeIn(own?.fields) | lifetimeIn(origin?.format)
  }
  if (extra === undefined) return kinds
  const { fields } = extra
  kinds |= lifetimeOf(objectAt(fields, "prompt_cache_options")?.ttl)
  kinds |= lifetimeIn(fields)
  for (const tool of listAt(fields, "tools")) kinds |= lifetimeIn(tool)
  return speaks(fields) ? kinds | AUDIO_OUTPUT : kinds
}

/**
 * Whether the extras of a request ask for spoken output, as in OpenAI's `modalities` or Gemini's `responseModalities`.
 */
function speaks(fields: Readonly<Record<string, JsonValue | undefined>>): boolean {
  const { modalities, audio, generationConfig } = fields
  const asked = isJsonObject(generationConfig) ? generationConfig : {}
  const named = modalities ?? asked.responseModalities
  if (Array.isArray(named)) return named.some((name) => /^audio$/i.test(String(name)))
  return audio !== undefined || asked.speechConfig !== undefined
}

function lifetimeOf(ttl: JsonValue | undefined): number {
  return typeof ttl === "string" ? (LIFETIMES[ttl] ?? HALF_DAY_CACHE_WRITE) : 0
}

/** The usage class of cache writes for the bits of each lifetime. */
const WRITE_CLASSES = new Map<number, MarkedInput["usageClass"]>([
  [0, "inputCacheWrite"],
  [HOUR_CACHE_WRITE, "inputCacheWrite1h"],
])

/**
 * The share of a request up to its last cache marker, and the usage class of cache writes with the marker's lifetime.
 */
interface MarkedInput {
  readonly share: number
  readonly usageClass: "inputCacheWrite" | "inputCacheWrite1h" | "inputCacheWrite12h"
}

/**
 * Returns the part of the input up to the last cache marker; undefined for a request without cache markers. Providers
 * read the tools before the messages.
 */
export function markedInput({ tools = [], messages }: ChatRequest): MarkedInput | undefined {
  const isMarked = tools.some(isMark) || messages.some(({ parts }) => parts.some(isMark))
  if (!isMarked) return undefined
  let length = 0
  let markedLength = 0
  let ttl: string | undefined
  const add = (characters: number, cache: CacheMarker | undefined): void => {
    length += characters
    if (cache === undefined) return
    markedLength = length
    ttl = cache.ttl
  }
  for (const tool of tools) add(JSON.stringify(tool).length, tool.cache)
  for (const { parts } of messages) {
    for (const part of parts) add(lengthOf(part), "cache" in part ? part.cache : undefined)
  }
  if (markedLength === 0) return undefined
  const usageClass = WRITE_CLASSES.get(lifetimeOf(ttl)) ?? "inputCacheWrite12h"
  return { share: markedLength / length, usageClass }
}

function isMark(part: Part | Tool): boolean {
  return "cache" in part && part.cache !== undefined
}

/** Returns the length of a part's text in characters. */
function lengthOf(part: Part): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length
    case "tool-call":
      return part.name.length + part.arguments.length
    case "tool-result":
      return part.content.reduce((sum, chunk) => sum + lengthOf(chunk), 0)
    default:
      return 0
  }
}

/**
 * Returns the bits of all cache lifetimes in a part of a vendor's own format, at any depth. A document of several texts
 * may have several lifetimes.
 */
function lifetimeIn(value: JsonValue | undefined): number {
  let kinds = 0
  if (Array.isArray(value)) {
    for (const element of value) kinds |= lifetimeIn(element)
  } else if (isJsonObject(value)) {
    kinds |= lifetimeOf(objectAt(value, "cache_control")?.ttl)
    for (const name in value) kinds |= lifetimeIn(value[name])
  }
  return kinds
}

/** Returns the kinds of output tokens that a deployment can cause, regardless of the request. */
export function kindsOfDeployment({ price, rules }: Pick<Deployment, "price" | "rules">): number {
  const { images, imageOutput } = price?.rates ?? {}
  let kinds = rules?.modalities?.includes("audio") === true ? AUDIO_OUTPUT : 0
  if (images !== undefined) kinds |= PRICED_IMAGES
  if (imageOutput !== undefined) kinds |= IMAGE_OUTPUT
  return kinds
}

/** Returns the usage classes that input tokens of these kinds can count as. */
export function inputClasses(kinds: number): readonly UsageClass[] {
  const classes: UsageClass[] = ["inputFresh", "inputCacheWrite"]
  if ((kinds & HOUR_CACHE_WRITE) !== 0) classes.push("inputCacheWrite1h")
  if ((kinds & HALF_DAY_CACHE_WRITE) !== 0) classes.push("inputCacheWrite12h")
  if ((kinds & AUDIO_INPUT) !== 0) classes.push("audioInput")
  if ((kinds & IMAGE_INPUT) !== 0) classes.push("imageInput")
  return classes
}

/** Returns the usage classes that output tokens of these kinds can count as. */
export function outputClasses(kinds: number): readonly UsageClass[] {
  const classes: UsageClass[] = ["output"]
  if ((kinds & AUDIO_OUTPUT) !== 0) classes.push("audioOutput")
  if ((kinds & IMAGE_OUTPUT) !== 0) classes.push("imageOutput")
  return classes
}

/**
 * Counts cache writes without a reported lifetime as the longest lifetime in the request.
 * @param kinds the kinds of tokens of the request.
 */
export function withLifetimes(usage: Usage, kinds: number): Usage {
  const unknown = usage.inputCacheWrite - usage.shortCacheWrite
  if (unknown <= 0 || (kinds & (HOUR_CACHE_WRITE | HALF_DAY_CACHE_WRITE)) === 0) return usage
  const longest = (kinds & HALF_DAY_CACHE_WRITE) === 0 ? "inputCacheWrite1h" : "inputCacheWrite12h"
  return { ...usage, inputCacheWrite: usage.shortCacheWrite, [longest]: usage[longest] + unknown }
}
