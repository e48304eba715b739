import { type Column, decodeColumn, encodeColumn, lowerOf } from "./column.ts"
import { SUM_NAMES } from "../request-names.ts"
import { nameOf as sumNameOf, type RequestSummary } from "../request-summary.ts"

/**
 * Number of requests per segment. A request has at most 16 tags, so that two bytes can number all tags of a segment.
 */
export const SEGMENT_SIZE = 4_096

/** Columns with ids of names. The id 0 stands for the empty name. */
export const NAME_COLUMNS = [...SUM_NAMES, "user", "session"] as const
export type NameColumn = (typeof NAME_COLUMNS)[number]

/** Columns that are summed. Amounts are in nanocredits, and times in milliseconds. */
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
  /** The start of the request, in milliseconds after the segment's first request. */
  | "at"
  /** Bits as defined in `FLAG`. */
  | "flags"
  /** 1 for a request that was removed from the index, otherwise 0. */
  | "gone"
  /** Number of tags of each request. `tags` contains the tags of all requests in sequence. */
  | "tag_counts"
  | "tags"

/** Properties of a request. Each is one bit. */
export const FLAG = {
  failed: 1,
  /** The request was answered, and its duration is known. */
  hasDuration: 2,
  hasFirstByte: 4,
} as const

/** A set of requests in columns, in the order of the ledger. */
export class Segment {
  readonly count: number
  /** The start times of the first and the last request in Unix milliseconds. */
  readonly from: number
  readonly to: number
  readonly #column: (name: ColumnName) => Column | undefined

  /** @param column returns a stored column; undefined if all its values are 0. */
  constructor(
    { count, from, to }: Pick<Segment, "count" | "from" | "to">,
    column: (name: ColumnName) => Column | undefined,
  ) {
    this.count = count
    this.from = from
    this.to = to
    this.#column = column
  }

  /** Returns a column; undefined if all its values are 0. */
  column(name: ColumnName): Column | undefined {
    return this.#column(name)
  }

  /** Returns a column of ids, flags or counts, which fit into 32 bits. */
  words(name: ColumnName): Uint32Array {
    return lowerOf(this.#column(name), this.count)
  }

  /** Returns the column that marks removed requests; undefined if no request was removed. */
  gone(): Uint32Array | undefined {
    return this.#column("gone")?.lower
  }

  /** Returns the start of each request in milliseconds after the first. */
  times(): Uint32Array | Float64Array {
    const column = this.#column("at")
    const { lower, upper } = { lower: lowerOf(column, this.count), upper: column?.upper }
    // Upper halves are needed, because the first and the last request may be weeks apart.
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
 * Encodes a segment.
 * @param idOf returns the id of a name.
 * @param requests at least one request, in the order of the ledger.
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

/** Creates a segment from its encoded form in memory. */
export function segmentOf({ columns, ...segment }: EncodedSegment): Segment {
  return new Segment(segment, (name) => {
    const bytes = columns.get(name)
    return bytes && decodeColumn(bytes)
  })
}

/** Returns all names and tags that occur in requests. */
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
  return sumNameOf(request, column)
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

/** Returns the tags of a request in the form that reports use. */
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
