import type { DialectId } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { switchesOf } from "../../vendors/priced-features/index.ts"
import type { Charge, Switches } from "../../vendors/priced-features/switch.ts"
import { chargeOfTool, isSet, type SetSwitch, valuesAt } from "./find-switches.ts"
import type { FeatureCosts } from "./feature-costs.ts"

/** Limits on the total number of calls to all tools in a request. */
export interface CallLimits {
  /** The limit that the caller set. */
  readonly max: number | undefined
  /** The limit that the gateway chose because the caller did not set one. It is sent to the vendor. */
  readonly assumed: number | undefined
}

/**
 * Reads a limit on calls from a request. Some servers also accept numbers as strings. The limit is at least one,
 * because vendors reject zero, and a server that ignores the limit makes calls anyway.
 */
export function limitOf(value: JsonValue | undefined): number | undefined {
  const reported = typeof value === "number" && value < 0 ? undefined : quantityOf(value)
  return reported === undefined ? undefined : Math.max(1, reported)
}

/** Returns the limit that the gateway chooses for the calls to all tools; undefined if no tool has a price per call. */
export function assumedCalls(
  setSwitches: readonly SetSwitch[],
  most = Infinity,
): number | undefined {
  const max = Math.max(
    0,
    ...setSwitches.map(({ charge, tool }) => (tool === undefined ? 0 : pricedCalls(charge))),
  )
  return max === 0 ? undefined : Math.min(max, most)
}

function pricedCalls(charge: Charge): number {
  if (charge.by === "calls") return charge.lasts === undefined ? charge.max : 0
  return charge.by === "model" ? (charge.max ?? 0) : 0
}

/**
 * Returns a body with the call limits that its hold was based on, for tools without a limit from the caller. The given
 * body is not modified.
 */
export function withCallLimits(
  body: JsonObject,
  featureCosts: FeatureCosts | undefined,
  target: { readonly vendor: string; readonly dialect: DialectId },
): JsonObject {
  const switches = featureCosts && switchesOf(target.vendor, target.dialect)
  if (switches === undefined) return body
  const limited = { ...body }
  const { maxCalls } = switches
  if (maxCalls !== undefined && featureCosts?.assumedCalls !== undefined) {
    limited[maxCalls] = featureCosts.assumedCalls
  }
  if (Array.isArray(body.tools))
    limited.tools = body.tools.map((tool) => limitTool(tool, switches, featureCosts?.assumedUses))
  return limited
}

function limitTool(tool: JsonValue, switches: Switches, most = Infinity): JsonValue {
  if (!isJsonObject(tool)) return tool
  const charge = chargeOfTool(tool, switches)
  const limited = { ...tool }
  for (const [field, max] of limitsOf(charge, most)) {
    if (limitOf(memberAt(tool, field)) === undefined) setMember(limited, field, max)
  }
  if (charge?.by === "tokens" && charge.free && !isSet(memberAt(tool, charge.free.path)))
    setMember(limited, charge.free.path, charge.free.values[0])
  return limited
}

/** Returns the value at a path of a tool, such as `parameters.max_uses`. */
export function memberAt(tool: JsonObject, path: string): JsonValue | undefined {
  return valuesAt(tool, path)[0]?.value
}

/** Sets the value at a path of at most two members. The object between them is copied. */
function setMember(tool: JsonObject, path: string, value: JsonValue): void {
  const [name = "", inner] = path.split(".")
  const holder = tool[name]
  tool[name] =
    inner === undefined ? value : { ...(isJsonObject(holder) ? holder : {}), [inner]: value }
}

/** Returns the limits that are sent for a tool, by the name of their field. */
function limitsOf(
  charge: Charge | undefined,
  most: number,
): readonly (readonly [string, number])[] {
  const limits: [string | undefined, number | undefined][] = []
  if (charge?.by === "tokens") {
    limits.push([charge.limit, charge.calls && Math.min(charge.calls, most)])
    limits.push([charge.resultLimit, charge.adds])
  } else if (charge?.by === "calls" || charge?.by === "model") {
    limits.push([charge.limit, charge.max && Math.min(charge.max, most)])
    if (charge.by === "model") limits.push([charge.outputLimit, charge.outputTokens])
  }
  return limits.flatMap(([field, max]) =>
    field !== undefined && max !== undefined ? [[field, max] as const] : [],
  )
}
