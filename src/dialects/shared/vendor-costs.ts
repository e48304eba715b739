import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { type PatchedData, patchedData } from "./stream.ts"

/** Matches names of members in which vendors report charges to the operator or the operator's balance. */
const CHARGE = /cost|pric(?:e|ing)|credit|balance|billing|spend|usd|byok/i
/** Maximum names with a cached result. A vendor could send any number of names. */
const MAX_NAMES = 1_000

/**
 * Members of a whole response or of a chunk with ids of the operator's account, or data of the operator's own gateway.
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
/**
 * Vercel's members with data of its gateway, in responses, messages and deltas: costs, the type of the credential, and
 * the servers that were tried.
 */
const METADATA: readonly string[] = ["provider_metadata", "providerMetadata"]
/** Members of the metadata with the servers that were tried, and with whose credential. */
const SERVERS: ReadonlySet<string> = new Set(["routing", "credentialType", "credential_type"])
/** Maximum depth of metadata. Deeper members are removed. */
const METADATA_DEPTH = 8

/**
 * Removes the vendor's charges to the operator, which callers do not see.
 * @returns the same usage if it has no charges.
 */
export function withoutCost(usage: JsonObject): JsonObject {
  return without(usage, isCharge)
}

/**
 * Removes operator data from the members of a whole response or a chunk, except for its usage.
 * @returns the same response if it has no such data.
 */
export function withoutOperatorData(response: JsonObject): JsonObject {
  const kept = without(response, isOperators)
  const choices = withoutChoiceMetadata(kept.choices)
  const shown = choices === kept.choices ? kept : { ...kept, choices }
  return withoutMetadata(shown)
}

/**
 * Returns the data of an event without data of the operator.
 * @param data the JSON of the event, which is returned if it has no such data.
 */
export function eventWithoutOperatorData(event: JsonObject, data: string): PatchedData {
  const shown = withoutOperatorData(event)
  return shown === event ? { data } : patchedData(shown, data)
}

/**
 * Removes operator data from a response or an event and from its usage.
 * @returns the same response if it has no such data.
 */
export function withoutAllCosts(response: JsonObject, usageMember = "usage"): JsonObject {
  const kept = withoutOperatorData(response)
  const usage = kept[usageMember]
  if (!isJsonObject(usage)) return kept
  const shown = withoutCost(usage)
  return shown === usage ? kept : { ...kept, [usageMember]: shown }
}

/** Removes operator data from a whole response in place, including its usage. */
export function removeOperatorData(response: JsonObject): void {
  for (const name in response) if (isOperators(name)) delete response[name]
  const { usage, usageMetadata, choices } = response
  if (isJsonObject(usage)) response.usage = withoutCost(usage)
  if (isJsonObject(usageMetadata)) response.usageMetadata = withoutCost(usageMetadata)
  if (choices !== undefined) response.choices = withoutChoiceMetadata(choices)
  for (const name of METADATA) {
    const metadata = response[name]
    if (metadata !== undefined) response[name] = shownMetadata(metadata)
  }
}

const isOperators = memoized((name) => OPERATOR_MEMBERS.has(name) || CHARGE.test(name))
const isCharge = memoized((name) => CHARGE.test(name))

/** Returns a test of names that caches its results. */
function memoized(test: (name: string) => boolean): (name: string) => boolean {
  const results = new Map<string, boolean>()
  return (name) => {
    const known = results.get(name)
    if (known !== undefined) return known
    if (results.size >= MAX_NAMES) results.clear()
    const result = test(name)
    results.set(name, result)
    return result
  }
}

/**
 * Returns the object without some members. It rarely copies the object, because it runs for every response and every
 * chunk.
 */
function without(object: JsonObject, isRemoved: (name: string) => boolean): JsonObject {
  let kept: JsonObject | undefined
  for (const name in object) {
    if (!isRemoved(name)) continue
    kept ??= { ...object }
    delete kept[name]
  }
  return kept ?? object
}

/** Removes operator data from the metadata of an object. Returns the same object if it has no metadata. */
export function withoutMetadata(object: JsonObject): JsonObject {
  // This runs for every choice, message and delta. Few of them have metadata.
  if (object.provider_metadata === undefined && object.providerMetadata === undefined) return object
  let kept = object
  for (const name of METADATA) {
    const metadata = object[name]
    if (metadata !== undefined) kept = { ...kept, [name]: shownMetadata(metadata) }
  }
  return kept
}

function shownMetadata(value: JsonValue, depth = METADATA_DEPTH): JsonValue {
  if (Array.isArray(value)) {
    return depth === 0 ? [] : value.map((element) => shownMetadata(element, depth - 1))
  }
  if (!isJsonObject(value)) return value
  const kept: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (depth === 0 || member === undefined || SERVERS.has(name) || isCharge(name)) continue
    kept[name] = shownMetadata(member, depth - 1)
  }
  return kept
}

/**
 * Removes operator data from the metadata of choices, their messages and deltas.
 * @returns the same list if it has no metadata.
 */
function withoutChoiceMetadata(choices: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(choices)) return choices
  let kept: JsonValue[] | undefined
  for (let index = 0; index < choices.length; index++) {
    const choice = choices[index]
    if (!isJsonObject(choice)) continue
    const shown = withoutContentMetadata(withoutMetadata(choice))
    if (shown !== choice) (kept ??= [...choices])[index] = shown
  }
  return kept ?? choices
}

function withoutContentMetadata(choice: JsonObject): JsonObject {
  const { message, delta } = choice
  let kept = choice
  if (isJsonObject(message)) {
    const shown = withoutMetadata(message)
    if (shown !== message) kept = { ...kept, message: shown }
  }
  if (isJsonObject(delta)) {
    const shown = withoutMetadata(delta)
    if (shown !== delta) kept = { ...kept, delta: shown }
  }
  return kept
}
