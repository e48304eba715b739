import { MAX_QUANTITY } from "../../accounting/maxima.ts"
import { isJsonObject, type JsonValue } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import type { CallCharge, Counted } from "../../vendors/priced-features/switch.ts"
import type { ResponseRecord, DoneItem } from "../metering/response-record.ts"
import type { AllowedCalls } from "./feature-costs.ts"
import { valuesAt } from "./find-switches.ts"

/**
 * Returns the number of calls of a kind in all responses. If a response was not completely decoded and its usage does
 * not report the number, its share of the maximum is counted, but at least the number of its decoded calls.
 */
export function countAllowed(
  { charge, max }: Pick<AllowedCalls, "charge" | "max">,
  records: readonly ResponseRecord[],
): number {
  const isUnread = (record: ResponseRecord): boolean => isUnknown(charge, record)
  const countOf = (some: readonly ResponseRecord[]): number =>
    some.reduce((sum, record) => sum + countCalls(charge, record), 0)
  const known = records.filter((record) => !isUnread(record))
  const unknown = records.filter(isUnread)
  const share = unknown.length === 0 ? 0 : Math.ceil((max * unknown.length) / records.length)
  return countOf(known) + Math.max(share, countOf(unknown))
}

/** Whether the number of calls of a kind is not known, because the response was not completely decoded. */
export function isUnknown({ counted }: CallCharge, { isUnread, whole }: ResponseRecord): boolean {
  if (!isUnread) return false
  // A report of usage without the number means that there were no calls.
  const isReported = (path: string): boolean => isJsonObject(whole[path.split(".", 1)[0] ?? ""])
  return !counted.some((way) => way.in === "usage" && way.paths.some(isReported))
}

/** Returns the number of calls of a kind that a response reports. */
export function countCalls(charge: CallCharge, record: ResponseRecord): number {
  let max = 0
  let isReported = false
  for (const way of charge.counted) {
    const count = isRequested(way, { max, isReported }, record) ? countedBy(way, record) : undefined
    if (count === undefined) continue
    if (way.in === "usage") isReported = true
    max = Math.max(max, count)
  }
  return max
}

/** The calls that earlier ways of counting have found. */
interface FoundBefore {
  readonly max: number
  readonly isReported: boolean
}

function isRequested(
  way: Counted,
  { max, isReported }: FoundBefore,
  { isEnded }: Pick<ResponseRecord, "isEnded">,
): boolean {
  switch (way.in) {
    case "usage":
      return true
    case "items":
      return way.unlessReported !== true || !isReported || !isEnded
    case "answer":
      return !isReported && max === 0 && (way.untilEnd !== true || !isEnded)
  }
}

function countedBy(way: Counted, record: ResponseRecord): number | undefined {
  switch (way.in) {
    case "usage":
      return sumAt(way.paths, record)
    case "items":
      return countItems(way, record.items)
    case "answer":
      return 1
  }
}

/**
 * Returns the sum of the numbers at paths of a response.
 * @returns undefined if the response reports none of the members.
 */
function sumAt(paths: readonly string[], { whole }: ResponseRecord): number | undefined {
  const reported = paths.flatMap((path) =>
    valuesAt(whole, path).flatMap(({ value }) => quantityOf(value) ?? []),
  )
  if (reported.length === 0) return undefined
  const sum = reported.reduce((left, right) => left + right, 0)
  return Math.min(sum, MAX_QUANTITY)
}

function countItems(way: Counted & { in: "items" }, items: readonly DoneItem[]): number {
  const done = items.filter(
    ({ name, item }) =>
      way.names.includes(name) && (way.done === undefined || isDone(way.done, item.action)),
  )
  const { each } = way
  if (way.asOne === true) return Math.min(1, done.length)
  if (each === undefined) return done.length
  return new Set(done.map(({ item }) => JSON.stringify(valuesAt(item, each)[0]?.value ?? null)))
    .size
}

/** Whether an item counts as a call. An item that does not report its action is counted. */
function isDone(kinds: readonly string[], action: JsonValue | undefined): boolean {
  return !isJsonObject(action) || typeof action.type !== "string" || kinds.includes(action.type)
}
