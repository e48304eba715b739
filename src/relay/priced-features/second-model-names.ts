import { objectAt, textAt } from "../../canon/json.ts"
import type { Price } from "../../ledger/price.ts"
import type { ResponseRecord } from "../metering/response-record.ts"
import type { FeatureCosts, SecondModel } from "./feature-costs.ts"

/**
 * Returns the model with a name; undefined if it is the request's own model. For an unknown name, it returns the most
 * expensive model.
 */
export function secondNamed(
  name: string,
  own: readonly Named[],
  models: readonly SecondModel[],
): SecondModel | undefined {
  const found = mostSimilar(name, [...own, ...models])
  if (found === undefined) return mostExpensive(models)
  return models.find((model) => model === found)
}

interface Named {
  readonly name: string
  readonly price: Price
}

/**
 * Returns the model to which a reported name refers; undefined if it refers to none of the models. If it refers to
 * several models, the most expensive one is returned.
 */
function mostSimilar(reported: string, models: readonly Named[]): Named | undefined {
  let found: Named | undefined
  let best = 0
  for (const model of models) {
    const match = similarity(reported, model.name)
    if (match === 0 || match < best) continue
    if (match === best && found !== undefined && costs(model) <= costs(found)) continue
    found = model
    best = match
  }
  return found
}

/** The end of a name that only states the version of a model, such as `2025-10-06`, `0613` or `latest`. */
const VERSION = /^(?:\d{3,8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|v\d+(?::\d+)?|latest|preview)(?:-|$)/
/** The characters between a name and its version or variant. A hyphen may also be part of another model's name. */
const SEPARATORS: ReadonlySet<string> = new Set(["-", "@", ":"])
const SAME = 4_000
const SAME_WORDS_AND_VARIANT = 3_000
const SAME_BUT_VERSION = 2_000
const SAME_ALIAS = 1_900
const SAME_WITHOUT_VERSION = 1_500
const SAME_BEGINNING = 1_000

/**
 * Returns how well a reported name matches the name of a model; 0 if it does not match. Responses may name a version of
 * the requested model, but a longer name may also be another model (`gpt-5` and `gpt-5-pro`).
 */
function similarity(reported: string, name: string): number {
  if (reported === name) return SAME
  if (reported.includes("/") && wordsOf(reported) === wordsOf(name)) {
    return variantOf(reported) === variantOf(name) ? SAME_WORDS_AND_VARIANT : SAME_BUT_VERSION
  }
  if (withYearFirst(reported) === name) return SAME_WORDS_AND_VARIANT
  if (isAliasOf(name, reported)) return SAME_ALIAS
  const [shorter, longer] = reported.length < name.length ? [reported, name] : [name, reported]
  if (!longer.startsWith(shorter)) return 0
  const separator = longer.charAt(shorter.length)
  if (!SEPARATORS.has(separator)) return 0
  const isVersion = separator !== "-" || VERSION.test(longer.slice(shorter.length + 1))
  // A response rarely omits the version, so a requested name without a version is the better match.
  const sameModel = longer === reported ? SAME_BUT_VERSION : SAME_WITHOUT_VERSION
  return (isVersion ? sameModel : SAME_BEGINNING) + shorter.length
}

/**
 * Returns a name whose month and year at the end are written as in OpenRouter's ids: `qwen3-235b-a22b-2507` for
 * `qwen3-235b-a22b-07-25`.
 */
function withYearFirst(name: string): string {
  return name.replace(/-(\d\d)-(\d\d)$/, "-$2$1")
}

/** Matches a word that only states a version, such as `4.5`, `k2.5` or `preview`. */
const VERSION_WORD = /^(?:[a-z]?\d+(?:\.\d+)*|beta|exp|latest|preview)$/

/**
 * Whether a name is OpenRouter's alias of the newest model with these words: `~anthropic/claude-haiku-latest` of
 * `anthropic/claude-4.5-haiku-20251001`.
 */
function isAliasOf(name: string, reported: string): boolean {
  if (!name.startsWith("~") || !name.endsWith("-latest")) return false
  const [maker, alias = ""] = name.slice(1, -"-latest".length).split("/")
  const [reportedMaker, bare = ""] = (reported.split(/[:@]/, 1)[0] ?? "").split("/")
  if (maker !== reportedMaker) return false
  const words = bare.split("-")
  const aliasWords = alias.split("-")
  return (
    aliasWords.every((word) => words.includes(word)) &&
    words.every((word) => aliasWords.includes(word) || VERSION_WORD.test(word))
  )
}

/**
 * Returns the words of a name in alphabetical order, without a date and a variant. OpenRouter names the same model
 * `anthropic/claude-sonnet-4.5` and `anthropic/claude-4.5-sonnet-20250929`.
 */
function wordsOf(name: string): string {
  const slash = name.lastIndexOf("/") + 1
  const [bare = ""] = name.slice(slash).split(/[:@]/, 1)
  const words = bare.split("-").filter((word) => !/^\d{8}$/.test(word))
  return name.slice(0, slash) + words.toSorted().join("-")
}

/** Returns the variant of a name, such as `free`, which may have another price. A version is not a variant. */
function variantOf(name: string): string {
  const [, variant = ""] = name.split(/[:@]/, 2)
  return VERSION.test(variant) ? "" : variant
}

function mostExpensive(models: readonly SecondModel[]): SecondModel | undefined {
  let max: SecondModel | undefined
  for (const model of models) if (max === undefined || costs(model) > costs(max)) max = model
  return max
}

function costs({ price }: Pick<Named, "price">): bigint {
  return ((price.rates.inputFresh ?? 0n) + 4n * (price.rates.output ?? 0n)) * price.multiplier
}

/**
 * Returns the model that responded in place of the requested model. For an unknown model, it returns the most expensive
 * one.
 */
export function answeredBy(
  { deployment, price }: FeatureCosts,
  models: readonly SecondModel[],
  records: readonly ResponseRecord[],
): SecondModel | undefined {
  const own = { name: deployment.upstreamModel, price }
  for (const { whole, items } of records) {
    const fallback = items.findLast(({ name }) => name === "fallback")?.item
    const to = fallback === undefined ? undefined : textAt(objectAt(fallback, "to") ?? {}, "model")
    const name = to ?? textAt(whole, "model")
    const named = name === undefined ? own : mostSimilar(name, [own, ...models])
    const found = named && orFast(named, own, models)
    if (found === own) continue
    if (found !== undefined) return models.find((model) => model === found)
    const max = mostExpensive(models)
    return max !== undefined && costs(max) > costs(own) ? max : undefined
  }
  return undefined
}

/**
 * Returns the more expensive of a model and its fast variant, if the request names both and responses do not
 * distinguish them.
 */
function orFast(named: Named, own: Named, models: readonly SecondModel[]): Named {
  if (models.every(({ charge }) => charge.isFastUnnamed !== true)) return named
  const fast = [own, ...models].find(({ name }) => name === `${named.name}${FAST}`)
  if (fast === undefined) return named
  return costs(fast) > costs(named) ? fast : named
}

/** The end of the names of fast variants. */
const FAST = "-fast"
