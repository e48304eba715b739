import { GatewayError } from "../canon/errors.ts"
import { isStorableText } from "../canon/storable-text.ts"
import type { Page } from "#contract/common.ts"

/** Where a page of a list starts: the sort values of the last entry of the previous page. */
export type Position = readonly (string | number)[]

/** The latest moment that a date can be, Unix milliseconds. */
const LATEST_TIME = 8.64e15

/** The parameters of a list, as in `pageQuery`. */
export interface PageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
}

/**
 * The position in a cursor; undefined without one.
 * @throws GatewayError `invalid_value`.
 */
export function positionOf(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
    if (isPosition(value)) return value
  } catch {
    // Reported below as a cursor that is not ours.
  }
  throw foreignCursor()
}

/**
 * The position in a list that is sorted by time, Unix milliseconds, and id; null without one.
 * @throws GatewayError `invalid_value`.
 */
export function timePositionOf(cursor: string | undefined): { at: number; id: string } | null {
  const position = positionOf(cursor)
  if (position === undefined) return null
  const [at, id] = position
  const isOurs = typeof at === "number" && Number.isInteger(at) && Math.abs(at) <= LATEST_TIME
  if (isOurs && typeof id === "string") return { at, id }
  throw foreignCursor()
}

/** Why a cursor cannot be taken. */
export function foreignCursor(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "'cursor' is none of this list: send the 'next_cursor' of the page before, or leave it out.",
    { parameter: "cursor" },
  )
}

/** The cursor for a position. Its text is opaque to others. */
export function cursorOf(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url")
}

/**
 * A page of entries.
 * @param found up to one more than the page holds, which shows that there is a next page.
 */
export function pageFrom<Item>(
  found: readonly Item[],
  limit: number,
  place: (item: Item) => Position,
): Page<Item> {
  const data = found.slice(0, limit)
  const last = data.at(-1)
  const isLast = found.length <= limit || last === undefined
  return { object: "list", data, next_cursor: isLast ? null : cursorOf(place(last)) }
}

function isPosition(value: unknown): value is Position {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => (typeof part === "string" ? isStorableText(part) : Number.isFinite(part)))
  )
}
