import { GatewayError } from "../canon/errors.ts"
import { isStorableText } from "../canon/storable-text.ts"
import type { Page } from "#contract/common.ts"

/** The start of a page, as the sort values of the last entry on the previous page. */
export type Position = readonly (string | number)[]

/** The latest time of a `Date`, in Unix milliseconds. */
const LATEST_TIME = 8.64e15

/** The parameters of a page, as in `pageQuery`. */
export interface PageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
}

/**
 * Decodes the position in a cursor; undefined without a cursor.
 * @throws GatewayError `invalid_value`.
 */
export function positionOf(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
    if (isPosition(value)) return value
  } catch {
    // An unreadable cursor is reported below.
  }
  throw foreignCursor()
}

/**
 * Decodes the position in a list sorted by time (Unix milliseconds) and id; null without a cursor.
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

/** Builds the error for a cursor that does not belong to the list. */
export function foreignCursor(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "'cursor' is not from this list. Send the 'next_cursor' of the previous page, or omit it.",
    { parameter: "cursor" },
  )
}

/** Encodes a position as a cursor, which is opaque to clients. */
export function cursorOf(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url")
}

/**
 * Builds a page of entries.
 * @param found the entries of the page, and one more if there is a next page.
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
