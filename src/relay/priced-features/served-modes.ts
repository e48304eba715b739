import { isJsonObject, type JsonObject, type JsonValue, objectAt } from "../../canon/json.ts"
import type { Usage } from "../../canon/usage.ts"
import { costOf, type Price, UNIT_FACTOR } from "../../ledger/price.ts"
import { type AppliedMode, modeOf, type PricedMode, priceIn } from "../../ledger/price-modes.ts"
import type { FieldSwitch } from "../../vendors/priced-features/switch.ts"
import type { Meter } from "../metering/meter.ts"
import type { UnrequestedMode } from "./default-modes.ts"
import type { RequestedMode } from "./feature-costs.ts"

/** A service mode that a response reports. */
interface ServedMode extends AppliedMode {
  /** The name of the mode; empty for the standard mode. */
  readonly name: string
  readonly isLower: boolean
}

/** The parts of a call's response that may report its service mode. */
export type ModeReport = Pick<Meter, "records" | "lastFrame" | "reported" | "firstFrame">

/** The usage of all calls of a request, and its prices in the standard mode. */
export interface ModeUsage {
  readonly price: Price
  readonly usage: Usage
  readonly calls: number
}

/** The modes in which a request was served, as they are settled. */
interface SettledModes {
  readonly applied: readonly AppliedMode[]
  readonly modes: readonly string[]
  /** Reported modes without a price. They are charged at the request's price. */
  readonly unpriced: readonly string[]
  /** Reported modes that cost more although the request did not name them. */
  readonly unrequested: readonly UnrequestedMode[]
}

/**
 * Returns the modes in which a request was served, according to its responses.
 * @param requested modes that the request named.
 * @param unrequested fields that report a mode even if the request did not name one.
 * @param reports one report for each call, at least one.
 * @param used the usage. If the calls report different modes, the most expensive mode for this usage applies to all
 * calls.
 */
export function settleModes(
  requested: readonly RequestedMode[],
  unrequested: readonly FieldSwitch[],
  reports: readonly ModeReport[],
  used: ModeUsage,
): SettledModes {
  const { price } = used
  if (requested.length === 0) {
    const modes = unrequestedModes(unrequested, reports, used)
    return settled({ modes, unrequested: modes }, unrequested, reports, price)
  }
  const { named, possible } = requestedModes(requested, reports, used)
  const open = unrequested.filter(({ served: [path] = [] }) =>
    requested.every(({ field }) => field.served?.[0] !== path),
  )
  const others = unrequestedModes(open, reports, used)
  const fields = [...requested.map(({ field }) => field), ...open]
  const modes = [...named, ...others]
  return settled({ modes, unrequested: [...possible, ...others] }, fields, reports, price)
}

/** The served modes of requested fields. */
interface ServedFields {
  readonly named: readonly ServedMode[]
  /** The modes of fields that leave the choice to the provider. */
  readonly possible: readonly ReportedMode[]
}

/** Returns one mode for each field of the response, because several fields of the request may set the same mode. */
function requestedModes(
  requested: readonly RequestedMode[],
  reports: readonly ModeReport[],
  used: ModeUsage,
): ServedFields {
  const named = new Map<string, ServedMode>()
  const possible: ReportedMode[] = []
  for (const each of requested) {
    const place = each.field.served?.[0] ?? each.field.path
    let highest = named.get(place)
    for (const report of reports) {
      const mode = servedMode(each, report, used.price)
      highest = higherOf(highest, mode, used)
      if (each.isPossible) possible.push({ ...mode, place })
    }
    if (highest !== undefined) named.set(place, highest)
  }
  return { named: [...named.values()], possible }
}

/** All modes of a request, and the modes that it did not name. */
interface ServedModes {
  readonly modes: readonly ServedMode[]
  readonly unrequested: readonly ReportedMode[]
}

/** A mode that the request did not name, with the response field that reports it. */
interface ReportedMode extends ServedMode {
  readonly place: string
}

function settled(
  { modes, unrequested }: ServedModes,
  fields: readonly FieldSwitch[],
  reports: readonly ModeReport[],
  price: Price,
): SettledModes {
  return {
    applied: modes,
    modes: namesOf(modes),
    unpriced: unpricedModes(fields, reports, price),
    unrequested: unrequested.length === 0 ? NO_UNREQUESTED : higherModes(unrequested),
  }
}

/** Maximum characters of a reported name that are stored. */
const MAX_NAME = 64
const NO_MODES: readonly string[] = []
const NO_SERVED: readonly ReportedMode[] = []
const NO_UNREQUESTED: readonly UnrequestedMode[] = []

function higherModes(modes: readonly ReportedMode[]): readonly UnrequestedMode[] {
  return modes.flatMap(({ place, key, factor }) =>
    key !== undefined && factor > UNIT_FACTOR ? [{ place, key, factor }] : [],
  )
}

/** Returns reported modes without a price, with their fields. */
function unpricedModes(
  fields: readonly FieldSwitch[],
  reports: readonly ModeReport[],
  price: Price,
): readonly string[] {
  let found: Set<string> | undefined
  for (const field of fields) {
    for (const report of reports) {
      const name = reportedName(field, report)
      if (name === undefined || pricedMode(field, name, price) !== undefined) continue
      const charge = field.values?.[name]
      // Prepaid capacity is not in the list, because it needs no price.
      if (charge?.by === "mode" && charge.isPossible) continue
      found = (found ?? new Set()).add(`${field.path}: ${name}`)
    }
  }
  return found === undefined ? NO_MODES : [...found]
}

/** Returns reported modes that the requests did not name, if they have a price. */
function unrequestedModes(
  fields: readonly FieldSwitch[],
  reports: readonly ModeReport[],
  used: ModeUsage,
): readonly ReportedMode[] {
  const { price } = used
  if (price.modes === undefined) return NO_SERVED
  const modes: ReportedMode[] = []
  for (const field of fields) {
    let highest: ServedMode | undefined
    for (const report of reports) {
      const name = reportedName(field, report)
      const mode = name === undefined ? undefined : pricedMode(field, name, price)
      highest = higherOf(highest, mode ?? STANDARD, used)
    }
    if (highest !== undefined && (highest.isLower || highest.factor !== UNIT_FACTOR))
      modes.push({ ...highest, place: field.served?.[0] ?? "" })
  }
  return modes
}

/** Returns the mode in which the usage costs more. */
function higherOf(left: ServedMode | undefined, right: ServedMode, used: ModeUsage): ServedMode {
  if (left === undefined) return right
  const isSame = left.key === right.key && left.factor === right.factor
  return isSame || costIn(left, used) >= costIn(right, used) ? left : right
}

function costIn(mode: ServedMode, { price, usage, calls }: ModeUsage): bigint {
  return costOf(usage, priceIn(price, [mode]), [], calls).total
}

function namesOf(modes: readonly ServedMode[]): readonly string[] {
  return modes.length === 0 ? NO_MODES : modes.flatMap(({ name }) => (name === "" ? [] : [name]))
}

/** Names of the standard mode. */
const STANDARD_MODES: ReadonlySet<string> = new Set([
  "",
  "default",
  "standard",
  "standard_only",
  "auto",
  "on_demand",
  "global",
  // Google's name for prepaid capacity, which is charged in the standard mode.
  "provisioned_throughput",
  "not_available",
  "unspecified",
])

/** Matches prefixes of modes, because Google spells the same mode in several ways. */
const PREFIX = /^(service_tier_|on_demand_)/
/** Matches control characters and unpaired surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/gu

/** Returns the mode that a response reports in a field, in lowercase; undefined if it reports no mode. */
function reportedName(field: FieldSwitch, report: ModeReport): string | undefined {
  for (const path of field.served ?? []) {
    const value = textIn(report, path)
    if (value === undefined) continue
    // Nearly all responses report the standard mode.
    if (STANDARD_MODES.has(value)) return value
    return cutName(value).toLowerCase().replace(PREFIX, "")
  }
  return undefined
}

/** Returns a name that every database can store. Longer names have no price. */
function cutName(value: string): string {
  return value.slice(0, MAX_NAME).replace(UNPRINTABLE, "")
}

/** The value that the first frames of a stream may repeat from the request. It is not a mode. */
const UNDECIDED = "auto"

/** The segments of each path. Paths are split only once, because nearly every response is searched for them. */
const STEPS = new Map<string, readonly string[]>()

/** Returns the last string that a call has reported at a path. */
function textIn(report: ModeReport, path: string): string | undefined {
  return (
    textAtPath(report.records[0]?.whole, path) ??
    textAtPath(report.lastFrame, path) ??
    textAtPath(report.reported, path) ??
    textAtPath(report.firstFrame, path)
  )
}

function textAtPath(frame: JsonObject | undefined, path: string): string | undefined {
  if (frame === undefined) return undefined
  let steps = STEPS.get(path)
  if (steps === undefined) STEPS.set(path, (steps = path.split(".")))
  let value: JsonValue | undefined =
    objectAt(frame, "response") ?? objectAt(frame, "message") ?? frame
  for (const step of steps) {
    if (!isJsonObject(value)) return undefined
    value = value[step]
  }
  return typeof value === "string" && value !== UNDECIDED ? value : undefined
}

const STANDARD: ServedMode = { name: "", key: undefined, factor: UNIT_FACTOR, isLower: false }

/** Returns a reported mode; undefined if it has no price. */
function pricedMode(field: FieldSwitch, name: string, price: Price): ServedMode | undefined {
  if (STANDARD_MODES.has(name)) return STANDARD
  const charge = field.values?.[name]
  if (charge?.by === "tokens") return { ...STANDARD, name }
  const key = charge?.by === "mode" ? charge.mode : name
  const mode = modeOf(price, key)
  return mode && { name, key, factor: mode.factor, isLower: mode.isLower }
}

function servedMode(requested: RequestedMode, report: ModeReport, price: Price): ServedMode {
  const name = reportedName(requested.field, report)
  const reported = name === undefined ? undefined : pricedMode(requested.field, name, price)
  if (reported !== undefined) return reported
  // A cheaper mode only applies if it is reported, because a server that does not support it serves the request in the
  // standard mode.
  const asked = requested.isPossible ? undefined : raising(requested.priced)
  const assumed = asked && { key: requested.name, factor: asked.factor, isLower: asked.isLower }
  // A reported mode without a price is charged at no less than the price of the requested mode.
  if (name !== undefined) return { ...STANDARD, ...assumed, name }
  const isNamed = !requested.isPossible && (asked !== undefined || !isCheaper(requested.priced))
  return { ...STANDARD, ...assumed, name: isNamed ? requested.name : "" }
}

function raising(mode: PricedMode | undefined): PricedMode | undefined {
  return mode?.isHigher === true ? mode : undefined
}

function isCheaper(mode: PricedMode | undefined): boolean {
  return mode?.isLower === true && !mode.isHigher
}
