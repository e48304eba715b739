import { type Column, decodeColumn, encodeColumn, lowerOf } from "./column.ts"
import type { RequestSummary } from "../request-summary.ts"

/** Requests per segment. With at most 16 tags per request, two bytes can number all tags of a segment. */
export const SEGMENT_SIZE = 4_096

/** Columns of ids that represent names. 0 represents the empty name. */
export const NAME_COLUMNS = [
  "account",
  "key",
  "model",
  "provider",
  "outcome",
  "endpoint",
  "user",
  "session",
] as const
export type NameColumn = (typeof NAME_COLUMNS)[number]

/** Columns that are summed. Amounts are nanocredits, times milliseconds. */
export const AMOUNT_COLUMNS = [
  "input",
  "output",
  "cost",
  "written_off",
  "provider_cost",
  "duration",
  "first_byte",
] as const
export type AmountColumn = (typeof AMOUNT_COLUMNS)[number]

export type ColumnName =
  | NameColumn
  | AmountColumn
  /** The position of the request in the ledger, relative to the segment's first row. */
  | "row"
  /** When it began, in milliseconds after the segment's first request. */
  | "at"
  /** Bits of `FLAG`. */
  | "flags"
  /** 1 for requests that are no longer counted. */
  | "gone"
  /** Number of tags of each request; `tags` contains them one after the other. */
  | "tag_counts"
  | "tags"

/** Properties of a request, one bit each. */
export const FLAG = {
  failed: 1,
  /** It was answered, and its duration is known. */
  hasDuration: 2,
  hasFirstByte: 4,
} as const

/** A columnar set of requests, in the order of the ledger. */
export class Segment {
  readonly count: number
  /** When its first and last request began, in Unix milliseconds. */
  readonly from: number
  readonly to: number
  readonly #column: (name: ColumnName) => Column | undefined

  /** @param column returns a stored column; undefined: all values are 0. */
  constructor(
    { count, from, to }: Pick<Segment, "count" | "from" | "to">,
    column: (name: ColumnName) => Column | undefined,
  ) {
    this.count = count
    this.from = from
    this.to = to
    this.#column = column
  }

  /** Returns a column; undefined: all values are 0. */
  column(name: ColumnName): Column | undefined {
    return this.#column(name)
  }

  /** Returns ids, flags or counts, which fit into 32 bits. */
  words(name: ColumnName): Uint32Array {
    return lowerOf(this.#column(name), this.count)
  }

  /** Returns which requests are no longer counted; undefined: all are counted. */
  gone(): Uint32Array | undefined {
    return this.#column("gone")?.lower
  }

  /** Returns when each request began, in milliseconds after the first. */
  times(): Uint32Array | Float64Array {
    const column = this.#column("at")
    const { lower, upper } = { lower: lowerOf(column, this.count), upper: column?.upper }
    // The first and the last request may be weeks apart.
    return upper
      ? Float64Array.from(upper, (half, row) => half * 2 ** 32 + (lower[row] ?? 0))
      : lower
  }
}

/** A segment in its stored form. */
export interface EncodedSegment extends Pick<Segment, "count" | "from" | "to"> {
  readonly firstRow: number
  readonly lastRow: number
  readonly columns: ReadonlyMap<ColumnName, Uint8Array<ArrayBuffer>>
}

/**
 * @param idOf returns a name's id.
 * @param requests in the order of the ledger; at least one.
 */
export function encodeSegment(
  requests: readonly RequestSummary[],
  idOf: (name: string) => number,
): EncodedSegment {
  const firstRow = requests[0]?.row ?? 0
  const from = requests.reduce((least, { at }) => Math.min(least, at), Infinity)
  const columns = new Map<ColumnName, Uint8Array<ArrayBuffer>>()
  const put = (name: ColumnName, values: readonly (number | bigint)[]): void => {
    const bytes = encodeColumn(values)
    if (bytes) columns.set(name, bytes)
  }
  for (const name of NAME_COLUMNS) {
    put(
      name,
      requests.map((request) => idOf(nameOf(request, name))),
    )
  }
  for (const name of AMOUNT_COLUMNS) {
    put(
      name,
      requests.map((request) => amountOf(request, name)),
    )
  }
  const tags = requests.map(tagsOf)
  put("tags", tags.flat().map(idOf))
  put(
    "tag_counts",
    tags.map(({ length }) => length),
  )
  put(
    "row",
    requests.map(({ row }) => row - firstRow),
  )
  put(
    "at",
    requests.map(({ at }) => at - from),
  )
  put("flags", requests.map(flagsOf))
  return {
    count: requests.length,
    from,
    to: requests.reduce((greatest, { at }) => Math.max(greatest, at), -Infinity),
    firstRow,
    lastRow: requests.at(-1)?.row ?? firstRow,
    columns,
  }
}

/** Decodes a segment in memory. */
export function segmentOf({ columns, ...segment }: EncodedSegment): Segment {
  return new Segment(segment, (name) => {
    const bytes = columns.get(name)
    return bytes && decodeColumn(bytes)
  })
}

/** Returns all names and tags of requests. */
export function namesOf(requests: readonly RequestSummary[]): Set<string> {
  const names = new Set<string>()
  for (const request of requests) {
    for (const column of NAME_COLUMNS) names.add(nameOf(request, column))
    for (const tag of tagsOf(request)) names.add(tag)
  }
  return names
}

function nameOf(request: RequestSummary, column: NameColumn): string {
  if (column === "user" || column === "session") return request.labels[column] ?? ""
  return request[column] ?? ""
}

function amountOf(request: RequestSummary, column: AmountColumn): number | bigint {
  switch (column) {
    case "written_off":
      return request.writtenOff
    case "provider_cost":
      return request.providerCost
    case "duration":
      return isAnswered(request) ? (request.duration ?? 0) : 0
    case "first_byte":
      return isAnswered(request) ? (request.firstByte ?? 0) : 0
    default:
      return request[column]
  }
}

/** Returns tags as reports name them. */
function tagsOf({ labels }: RequestSummary): string[] {
  return Object.entries(labels.tags ?? {}).map(([name, value]) => `${name}=${value}`)
}

function flagsOf(request: RequestSummary): number {
  const answered = isAnswered(request)
  return (
    (request.failed ? FLAG.failed : 0) |
    (answered && request.duration !== null ? FLAG.hasDuration : 0) |
    (answered && request.firstByte !== null ? FLAG.hasFirstByte : 0)
  )
}

function isAnswered({ status }: RequestSummary): boolean {
  return status === "settled"
}
