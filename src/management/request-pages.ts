import { needsScan } from "../store/request-search.ts"
import {
  placeAfter,
  type RequestFilter,
  type RequestOrder,
  type RequestPlace,
  type RequestRecord,
} from "../store/requests.ts"
import type { RequestReports } from "../store/reports.ts"
import { cursorOf, foreignCursor, type Position, positionOf } from "./cursor.ts"

/** How many requests are read at once where no index has what is asked for. */
const LOOKED_AT = 30_000
/** The same of requests with a label, each of which is fetched by its id. */
const LABELLED_LOOKED_AT = 10_000

/** A place in a list of requests, and for one that is not sorted by time how far back it looks. */
interface PagePlace extends RequestPlace {
  readonly reach?: number | null
}

interface Reading {
  readonly sort: RequestOrder
  readonly place: PagePlace | null
}

/**
 * How far back a page looks: no index has what a request cost or how long it took, so only so many are read at once.
 * All pages of a sorted list look equally far.
 */
export async function reachOf(
  reports: RequestReports,
  filter: RequestFilter,
  { sort, place }: Reading,
): Promise<number | null> {
  if (sort === "newest" ? !isReadWhole(filter) : place !== null) return place?.reach ?? null
  return reachOfReading(reports, filter, place)
}

/** How far back requests are read at once. */
export function reachOfReading(
  reports: RequestReports,
  filter: RequestFilter,
  place: RequestPlace | null = null,
): Promise<number | null> {
  const isLabelled = (filter.labels ?? []).length > 0
  return reports.reach(filter, place, isLabelled ? LABELLED_LOOKED_AT : LOOKED_AT)
}

/** Whether each request has to be read to know whether a filter lets it through. */
export function isReadWhole(filter: RequestFilter): boolean {
  const { minimumCost, maximumCost, minimumDuration, maximumDuration, search } = filter
  return (
    (minimumCost ?? maximumCost ?? minimumDuration ?? maximumDuration) !== undefined ||
    needsScan(search)
  )
}

/** As a cursor has it. */
export function positionAfter(
  record: RequestRecord,
  sort: RequestOrder,
  reach: number | null,
): Position {
  const { at, row, value } = placeAfter(record, sort)
  return value === undefined ? [at, row] : [at, row, sort, String(value), reach ?? ""]
}

/** Where a list of the newest goes on that has come to the end of its look. */
export function cursorBehind(reach: number | null, sort: RequestOrder): string | null {
  return reach === null || sort !== "newest" ? null : cursorOf([reach, 0])
}

const WHOLE = /^-?\d{1,18}$/

/** @throws GatewayError `invalid_value` for a cursor of another list. */
export function placeOf(cursor: string | undefined, sort: RequestOrder): PagePlace | null {
  const position = positionOf(cursor)
  if (position === undefined) return null
  const [at, row, order, value, reach] = position
  if (!isWhole(at) || !isWhole(row)) throw foreignCursor()
  if (sort === "newest" && order === undefined) return { at, row }
  if (order !== sort || typeof value !== "string" || !WHOLE.test(value)) throw foreignCursor()
  return { at, row, value: BigInt(value), reach: isWhole(reach) ? reach : null }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
