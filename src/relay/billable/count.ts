import { isJsonObject, type JsonValue } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import type { CallCharge, Counted } from "../../vendors/billable/switch.ts"
import type { AnswerRecord, DoneItem } from "./answer-record.ts"
import { valuesAt } from "./find-switches.ts"

/** How many calls of a kind an answer tells. */
export function countCalls(charge: CallCharge, record: AnswerRecord): number {
  let most = 0
  let isTold = false
  for (const way of charge.counted) {
    const count = isAsked(way, { most, isTold }, record) ? countedBy(way, record) : undefined
    if (count === undefined) continue
    if (way.in === "usage") isTold = true
    most = Math.max(most, count)
  }
  return most
}

/** What the ways before have found. */
interface FoundBefore {
  readonly most: number
  readonly isTold: boolean
}

function isAsked(
  way: Counted,
  { most, isTold }: FoundBefore,
  { isEnded }: Pick<AnswerRecord, "isEnded">,
): boolean {
  switch (way.in) {
    case "usage":
      return true
    case "items":
      return way.unlessTold !== true || !isTold || !isEnded
    case "answer":
      return !isTold && most === 0 && (way.untilEnd !== true || !isEnded)
  }
}

function countedBy(way: Counted, record: AnswerRecord): number | undefined {
  switch (way.in) {
    case "usage":
      return sumAt(way.paths, record)
    case "items":
      return countItems(way, record.items)
    case "answer":
      return 1
  }
}

/** @returns undefined when the answer has none of them. */
function sumAt(paths: readonly string[], { whole }: AnswerRecord): number | undefined {
  const told = paths.flatMap((path) =>
    valuesAt(whole, path).flatMap(({ value }) => quantityOf(value) ?? []),
  )
  return told.length === 0 ? undefined : told.reduce((left, right) => left + right, 0)
}

function countItems(way: Counted & { in: "items" }, items: readonly DoneItem[]): number {
  const done = items.filter(
    ({ name, item }) =>
      way.names.includes(name) && (way.done === undefined || isDone(way.done, item.action)),
  )
  const { each } = way
  if (each === undefined) return done.length
  return new Set(done.map(({ item }) => JSON.stringify(valuesAt(item, each)[0]?.value ?? null)))
    .size
}

/** An item that does not say what it did counts. */
function isDone(kinds: readonly string[], action: JsonValue | undefined): boolean {
  return !isJsonObject(action) || typeof action.type !== "string" || kinds.includes(action.type)
}
