import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"

/** Matches names of members in which vendors report charges to the operator or the operator's balance. */
const CHARGE = /cost|pric(?:e|ing)|credit|balance|billing|spend|usd|byok/i
/** Maximum names whose match is remembered. A vendor could send any number of names. */
const MAX_NAMES = 1_000
const matches = new Map<string, boolean>()

/**
 * Members of a whole answer or of a chunk with ids of the operator's account, or data of the operator's own gateway.
 */
const OPERATOR_MEMBERS: ReadonlySet<string> = new Set([
  "_hidden_params",
  "api_key",
  "key_alias",
  "team_id",
  "tenant_id",
  "workspace_id",
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
  return without(usage, isCharge)
}

/**
 * Removes operator data from the members of a whole answer or a chunk, except for its usage.
 * @returns the same answer if it has no such data.
 */
export function withoutOperatorData(answer: JsonObject): JsonObject {
  const kept = without(answer, isOperators)
  const metadata = answer[METADATA]
  if (metadata === undefined) return kept
  return { ...kept, [METADATA]: withoutMetadataCosts(metadata, METADATA_DEPTH) }
}

/**
 * Returns the data of an event without data of the operator.
 * @param data the JSON of the event, which is returned if it has no such data.
 */
export function eventWithoutOperatorData(event: JsonObject, data: string): string {
  const shown = withoutOperatorData(event)
  return shown === event ? data : JSON.stringify(shown)
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
  for (const name in answer) if (isOperators(name)) delete answer[name]
  const { usage, usageMetadata, [METADATA]: metadata } = answer
  if (isJsonObject(usage)) answer.usage = withoutCost(usage)
  if (isJsonObject(usageMetadata)) answer.usageMetadata = withoutCost(usageMetadata)
  if (metadata !== undefined) answer[METADATA] = withoutMetadataCosts(metadata, METADATA_DEPTH)
}

function isOperators(name: string): boolean {
  return OPERATOR_MEMBERS.has(name) || isCharge(name)
}

function isCharge(name: string): boolean {
  const known = matches.get(name)
  if (known !== undefined) return known
  if (matches.size >= MAX_NAMES) matches.clear()
  const found = CHARGE.test(name)
  matches.set(name, found)
  return found
}

/** Written as a loop that rarely copies, because it runs for every answer and every chunk. */
function without(object: JsonObject, isRemoved: (name: string) => boolean): JsonObject {
  let kept: JsonObject | undefined
  for (const name in object) {
    if (!isRemoved(name)) continue
    kept ??= { ...object }
    delete kept[name]
  }
  return kept ?? object
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
