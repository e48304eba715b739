import type { Database, Statement } from "bun:sqlite"
import { type Column, decodeColumn, encodeColumn } from "../columns/column.ts"
import type { ColumnCache } from "../columns/column-cache.ts"
import {
  AMOUNT_COLUMNS,
  type ColumnName,
  encodeSegment,
  type EncodedSegment,
  NAME_COLUMNS,
  namesOf,
  Segment,
  SEGMENT_SIZE,
} from "../columns/segment.ts"
import { requestsBehind } from "./requests-list.ts"

/** The columns in the order of their positions. New columns must be added at the end. */
const COLUMNS: readonly ColumnName[] = [
  "row",
  "at",
  "flags",
  ...NAME_COLUMNS,
  "tag_counts",
  "tags",
  ...AMOUNT_COLUMNS,
  "gone",
]
const PLACES = new Map(COLUMNS.map((name, place) => [name, place]))
/** Number of positions per segment. It is larger than the number of columns, so that columns can be added. */
const PLACES_OF_SEGMENT = 32

interface SegmentRow {
  readonly id: bigint
  readonly first_row: bigint
  readonly count: bigint
  readonly first_at: bigint
  readonly last_at: bigint
  /** The column that marks removed requests; null if no request was removed. */
  readonly gone: Uint8Array | null
}

// The marks are read together with the segments, because a separate query for each segment would take longer.
const ROW = `id, first_row, count, first_at, last_at, (SELECT numbers FROM segment_columns
  WHERE place = segments.id * ${PLACES_OF_SEGMENT} + ${PLACES.get("gone")}) AS gone`

/** A copy of the indexed requests in columns. Methods that write must run inside a transaction. */
export class RequestSegments {
  readonly #index: Database
  readonly #column: Statement<{ numbers: Uint8Array }, [bigint]>

  constructor(index: Database) {
    this.#index = index
    this.#column = index.prepare("SELECT numbers FROM segment_columns WHERE place = ?")
  }

  /** Returns the last row of the ledger that is in a segment. */
  end(): bigint {
    const row = this.#index
      .query<{ end: bigint | null }, []>("SELECT max(last_row) AS end FROM segments")
      .get()
    return row?.end ?? 0n
  }

  /**
   * Returns the segments with requests in a time range. Their columns are read on demand.
   * @param to the end, exclusive.
   * @param cache contains columns that never change.
   */
  between(from: number, to: number, cache: ColumnCache): Segment[] {
    return this.#index
      .query<SegmentRow, [bigint, bigint]>(
        `SELECT ${ROW} FROM segments WHERE last_at >= ? AND first_at < ? ORDER BY id`,
      )
      .all(BigInt(from), BigInt(to))
      .map((row) => this.#segmentOf(row, cache))
  }

  /** Creates segments while there are enough requests for another one. */
  append(): void {
    for (;;) {
      const requests = requestsBehind(this.#index, this.end(), SEGMENT_SIZE)
      if (requests.length < SEGMENT_SIZE) return
      const last = requests.reduce((latest, { at }) => Math.max(latest, at), 0)
      const ids = this.#idsOf(namesOf(requests), last)
      this.#write(encodeSegment(requests, (name) => ids.get(name) ?? 0))
    }
  }

  /** Marks a request that was removed from the index, so that reports ignore it. */
  remove(row: bigint): void {
    const found = this.#index
      .query<SegmentRow, [bigint, bigint]>(
        `SELECT ${ROW} FROM segments WHERE first_row <= ? AND last_row >= ?`,
      )
      .get(row, row)
    if (!found) return
    const segment = this.#segmentOf(found)
    const place = segment.words("row").indexOf(Number(row - found.first_row))
    this.#mark(found, (at) => at === place)
  }

  /** Removes or marks all requests from before a moment, because they were pruned. */
  removeBefore(moment: bigint): void {
    const old = this.#index
      .query<SegmentRow, [bigint]>(`SELECT ${ROW} FROM segments WHERE first_at < ?`)
      .all(moment)
    for (const row of old) {
      if (row.last_at < moment) this.#remove(row.id)
      else {
        const times = this.#segmentOf(row).times()
        const until = Number(moment - row.first_at)
        this.#mark(row, (place) => (times[place] ?? 0) < until)
      }
    }
    this.#index.run("DELETE FROM names WHERE last_at < ?", [moment])
  }

  #segmentOf({ id, count, first_at, last_at, gone }: SegmentRow, cache?: ColumnCache): Segment {
    const size = { count: Number(count), from: Number(first_at), to: Number(last_at) }
    const removed = gone === null ? undefined : decodeColumn(gone)
    const read = (place: bigint): Column | undefined => {
      const found = this.#column.get(place)
      return found ? decodeColumn(found.numbers) : undefined
    }
    return new Segment(size, (name) => {
      if (name === "gone") return removed
      const place = placeOf(id, name)
      return cache === undefined ? read(place) : cache.take(Number(place), () => read(place))
    })
  }

  /**
   * Returns the ids of names.
   * @param last start of the last request with these names.
   */
  #idsOf(names: ReadonlySet<string>, last: number): Map<string, number> {
    const ids = new Map<string, number>()
    const take = this.#index.query<{ id: bigint }, [string, bigint]>(
      `INSERT INTO names (name, last_at) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET last_at = max(last_at, excluded.last_at) RETURNING id`,
    )
    for (const name of names) {
      // The empty name has the id 0.
      if (name !== "") ids.set(name, Number(take.get(name, BigInt(last))?.id))
    }
    return ids
  }

  #write({ firstRow, lastRow, count, from, to, columns }: EncodedSegment): void {
    const { lastInsertRowid } = this.#index.run(
      "INSERT INTO segments (first_row, last_row, count, first_at, last_at) VALUES (?, ?, ?, ?, ?)",
      [BigInt(firstRow), BigInt(lastRow), BigInt(count), BigInt(from), BigInt(to)],
    )
    for (const [name, numbers] of columns) this.#put(BigInt(lastInsertRowid), name, numbers)
  }

  #put(segment: bigint, name: ColumnName, numbers: Uint8Array<ArrayBuffer>): void {
    this.#index.run("INSERT OR REPLACE INTO segment_columns VALUES (?, ?)", [
      placeOf(segment, name),
      numbers,
    ])
  }

  #mark(row: SegmentRow, isGone: (place: number) => boolean): void {
    const gone = this.#segmentOf(row).gone()
    const marked = Array.from({ length: Number(row.count) }, (_, place) =>
      isGone(place) ? 1 : (gone?.[place] ?? 0),
    )
    const numbers = encodeColumn(marked)
    if (numbers) this.#put(row.id, "gone", numbers)
  }

  #remove(segment: bigint): void {
    const first = segment * BigInt(PLACES_OF_SEGMENT)
    this.#index.run("DELETE FROM segments WHERE id = ?", [segment])
    this.#index.run("DELETE FROM segment_columns WHERE place >= ? AND place < ?", [
      first,
      first + BigInt(PLACES_OF_SEGMENT),
    ])
  }
}

function placeOf(segment: bigint, name: ColumnName): bigint {
  return segment * BigInt(PLACES_OF_SEGMENT) + BigInt(PLACES.get(name) ?? 0)
}
