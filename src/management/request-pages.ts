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

/** Maximum requests that are read at once if no index supports the filter. */
const MAX_READ = 30_000
/** Maximum requests that are read at once if their labels are compared, which takes longer. */
const MAX_LABELLED_READ = 10_000

/**
 * A position in a list of requests. If the list is not sorted by time, it includes the oldest time that the list
 * covers.
 */
export interface PagePlace extends RequestPlace {
  readonly reach?: number | null
}

interface Reading {
  readonly sort: RequestOrder
  readonly place: PagePlace | null
}

/**
 * Returns the oldest time that a page covers. Costs and durations have no index, so the number of requests that are
 * read is limited. All pages of a sorted list have the same limit.
 */
export async function reachOf(
  reports: RequestReports,
  filter: RequestFilter,
  { sort, place }: Reading,
): Promise<number | null> {
  if (sort === "newest" ? !isReadWhole(filter) : place !== null) return place?.reach ?? null
  return reachOfReading(reports, filter, place)
}

/** Returns the oldest time of the requests that are read at once. */
export function reachOfReading(
  reports: RequestReports,
  filter: RequestFilter,
  place: RequestPlace | null = null,
): Promise<number | null> {
  const isLabelled = (filter.labels ?? []).length > 0 || filter.labelPrefix !== undefined
  return reports.reach(filter, place, isLabelled ? MAX_LABELLED_READ : MAX_READ)
}

/** Returns the latest of several times; null if all are null. */
export function latest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Whether each request has to be read to evaluate a filter. */
export function isReadWhole(filter: RequestFilter): boolean {
  const { minimumCost, maximumCost, minimumDuration, maximumDuration, search } = filter
  return (
    (minimumCost ?? maximumCost ?? minimumDuration ?? maximumDuration) !== undefined ||
    filter.labelPrefix !== undefined ||
    needsScan(search)
  )
}

/** Returns the position after a request, for use in a cursor. */
export function positionAfter(
  record: RequestRecord,
  sort: RequestOrder,
  reach: number | null,
): Position {
  const { at, row, value } = placeAfter(record, sort)
  return value === undefined ? [at, row] : [at, row, sort, String(value), reach ?? ""]
}

/** Returns the cursor that continues a list of the newest requests after the range that was read. */
export function cursorBehind(reach: number | null, sort: RequestOrder): string | null {
  return reach === null || sort !== "newest" ? null : cursorOf([reach, 0])
}

const WHOLE = /^-?\d{1,18}$/

/**
 * Decodes a cursor.
 * @throws GatewayError `invalid_value` for a cursor of another list.
 */
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
