import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"

/** Members of a usage in which vendors report their charges to the operator. */
const USAGE_COSTS: readonly string[] = [
  "cost",
  "cost_details",
  "cost_breakdown",
  "estimated_cost",
  "market_cost",
  "total_cost",
  "prompt_cost",
  "completion_cost",
  "cost_in_usd_ticks",
  "credits",
  "billing",
]
/** Members of a whole answer or of a chunk with charges to the operator, or data of the operator's own gateway. */
const ANSWER_COSTS: readonly string[] = [
  "cost",
  "estimated_cost",
  "market_cost",
  "x_request_cost",
  "_hidden_params",
]
/** Vercel's member with data of its gateway. */
const METADATA = "provider_metadata"
const METADATA_COSTS: ReadonlySet<string> = new Set(["cost", "marketCost", "market_cost"])
/** Maximum depth of costs in the metadata. */
const METADATA_DEPTH = 2

/**
 * Removes the vendor's charges to the operator, which callers do not see.
 * @returns the same usage if it has none.
 */
export function withoutCost(usage: JsonObject): JsonObject {
  return without(usage, USAGE_COSTS)
}

/** Removes the vendor's charges from the other members of a whole answer or a chunk. */
export function withoutAnswerCosts(answer: JsonObject): JsonObject {
  const kept = without(answer, ANSWER_COSTS)
  const metadata = kept[METADATA]
  return metadata === undefined
    ? kept
    : { ...kept, [METADATA]: withoutMetadataCosts(metadata, METADATA_DEPTH) }
}

/** Removes the vendor's charges from a whole answer in place. */
export function removeCosts(answer: JsonObject): void {
  for (const name of ANSWER_COSTS) if (answer[name] !== undefined) delete answer[name]
  const { usage, [METADATA]: metadata } = answer
  if (isJsonObject(usage)) answer.usage = withoutCost(usage)
  if (metadata !== undefined) answer[METADATA] = withoutMetadataCosts(metadata, METADATA_DEPTH)
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  if (!hasAny(object, names)) return object
  const kept = { ...object }
  for (const name of names) delete kept[name]
  return kept
}

/** Written as a loop, because it runs for every answer and every chunk. */
function hasAny(object: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (object[name] !== undefined) return true
  return false
}

function withoutMetadataCosts(value: JsonValue, depth: number): JsonValue {
  if (!isJsonObject(value)) return value
  const kept: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || METADATA_COSTS.has(name)) continue
    kept[name] = depth === 0 ? member : withoutMetadataCosts(member, depth - 1)
  }
  return kept
}
