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
/**
 * Members of a whole answer or of a chunk with charges to the operator, ids of the operator's account, or data of the
 * operator's own gateway.
 */
const OPERATOR_MEMBERS: ReadonlySet<string> = new Set([
  "cost",
  "estimated_cost",
  "market_cost",
  "x_request_cost",
  "_hidden_params",
  "user_id",
  "organization",
  "organization_id",
  "org_id",
  "project",
  "project_id",
  "account",
  "account_id",
])
/** Vercel's member with data of its gateway. */
const METADATA = "provider_metadata"
const METADATA_COSTS: ReadonlySet<string> = new Set(["cost", "marketCost", "market_cost"])
/** Maximum depth of costs in the metadata. */
const METADATA_DEPTH = 2

/**
 * Removes the vendor's charges to the operator, which callers do not see.
 * @returns the same usage if it has no charges.
 */
export function withoutCost(usage: JsonObject): JsonObject {
  return without(usage, USAGE_COSTS)
}

/**
 * Removes operator data from the members of a whole answer or a chunk, except for its usage.
 * @returns the same answer if it has no such data.
 */
export function withoutOperatorData(answer: JsonObject): JsonObject {
  let kept: JsonObject | undefined
  for (const name in answer) {
    if (!OPERATOR_MEMBERS.has(name)) continue
    kept ??= { ...answer }
    delete kept[name]
  }
  const metadata = answer[METADATA]
  if (metadata === undefined) return kept ?? answer
  return { ...(kept ?? answer), [METADATA]: withoutMetadataCosts(metadata, METADATA_DEPTH) }
}

/**
 * Removes operator data from an answer or an event and from its usage.
 * @returns the same answer if it has no such data.
 */
export function withoutAllCosts(answer: JsonObject, usageMember = "usage"): JsonObject {
  const kept = withoutOperatorData(answer)
  const usage = kept[usageMember]
  if (!isJsonObject(usage)) return kept
  const shown = withoutCost(usage)
  return shown === usage ? kept : { ...kept, [usageMember]: shown }
}

/** Removes operator data from a whole answer in place, including its usage. */
export function removeOperatorData(answer: JsonObject): void {
  for (const name in answer) if (OPERATOR_MEMBERS.has(name)) delete answer[name]
  const { usage, usageMetadata, [METADATA]: metadata } = answer
  if (isJsonObject(usage)) answer.usage = withoutCost(usage)
  if (isJsonObject(usageMetadata)) answer.usageMetadata = withoutCost(usageMetadata)
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
