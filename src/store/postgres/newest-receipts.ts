import {
  encodeSegment,
  namesOf,
  type Segment,
  SEGMENT_SIZE,
  segmentOf,
} from "../columns/segment.ts"
import type { IdOf } from "../columns/usage-of-segments.ts"
import type { RequestSummary } from "../request-summary.ts"
import type { Statements } from "./client.ts"
import { findIds, readExpired, readReceipts } from "./request-segments.ts"

/** Maximum receipts outside of segments that a report reads. Further receipts are ignored. */
export const MAX_NEWEST = 2 * SEGMENT_SIZE
/**
 * Names that are not in a segment yet get temporary ids, which count down from this number. Permanent ids never become
 * this large.
 */
const LAST_ID = 2 ** 31 - 1

interface StateRow {
  /** The position of the last receipt that is in a segment. */
  readonly position: bigint
  /** The position up to which all rows are visible. */
  readonly anchored: bigint
  /** Unix time in milliseconds. Requests that began earlier have been pruned. */
  readonly until: bigint
  readonly has_expired: boolean
}

/** The receipts that are not in a segment yet. */
interface Newest {
  readonly until: number
  readonly newest: readonly Segment[]
  readonly idOf: IdOf
  /** Names with temporary ids, which are only valid in this process. */
  readonly own: ReadonlyMap<number, string>
}

interface Span {
  readonly from: number
  readonly to: number
}

/** Reads the receipts that are not in a segment yet. Receipts that the anchor covers are only read once. */
export class NewestReceipts {
  #begin = -1n
  #end = -1n
  #requests: RequestSummary[] = []
  #segment: Segment | undefined
  #ids = new Map<string, number>()
  #own = new Map<number, string>()

  /**
   * Reads the receipts.
   * @param names additional names that need ids.
   */
  async read(transaction: Statements, span: Span, names: readonly string[]): Promise<Newest> {
    const state = await transaction.row<StateRow>(
      `SELECT position, until, anchor.last_row AS anchored, EXISTS (SELECT FROM expired_requests) AS has_expired
       FROM segment_end, pruned_rows, anchor`,
    )
    if (!state) throw new Error("the database has no segments")
    await this.#update(transaction, state)
    const others = [
      ...(await readReceipts(transaction, {
        behind: this.#end,
        limit: Math.max(1, MAX_NEWEST - this.#requests.length),
      })),
      ...(state.has_expired ? await readExpired(transaction, span) : []),
    ]
    await this.#number(transaction, namesOf(others))
    const known = await this.#find(transaction, names)
    const rest = others.length === 0 ? [] : [this.#segmentOf(others)]
    return {
      until: Number(state.until),
      newest: this.#segment ? [this.#segment, ...rest] : rest,
      idOf: (name) => known.get(name),
      own: this.#own,
    }
  }

  /** Reads the receipts that the anchor has covered since the previous call. */
  async #update(transaction: Statements, { position, anchored }: StateRow): Promise<void> {
    if (position !== this.#begin) {
      this.#begin = position
      this.#end = position
      this.#requests = []
      this.#segment = undefined
      this.#ids = new Map()
      this.#own = new Map()
    }
    const limit = MAX_NEWEST - this.#requests.length
    if (anchored <= this.#end || limit <= 0) return
    const found = await readReceipts(transaction, { behind: this.#end, until: anchored, limit })
    const last = found.at(-1)
    this.#end = found.length < limit ? anchored : BigInt(last?.row ?? this.#end)
    if (last === undefined) return
    this.#requests.push(...found)
    await this.#number(transaction, namesOf(found))
    this.#segment = this.#segmentOf(this.#requests)
  }

  /** Returns the ids of those names that have one. */
  async #find(
    transaction: Statements,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const others = names.filter((name) => !this.#ids.has(name))
    const known =
      others.length === 0 ? new Map<string, number>() : await findIds(transaction, others)
    for (const name of names) {
      const id = this.#ids.get(name)
      if (id !== undefined) known.set(name, id)
    }
    return known
  }

  /**
   * Assigns temporary ids to names. If a name gets a permanent id later, it keeps its temporary id until these receipts
   * are in a segment.
   */
  async #number(transaction: Statements, names: ReadonlySet<string>): Promise<void> {
    const unknown = [...names].filter((name) => !this.#ids.has(name))
    if (unknown.length === 0) return
    const found = await findIds(transaction, unknown)
    for (const name of unknown) {
      const id = found.get(name) ?? LAST_ID - this.#own.size
      this.#ids.set(name, id)
      if (!found.has(name)) this.#own.set(id, name)
    }
  }

  #segmentOf(requests: readonly RequestSummary[]): Segment {
    return segmentOf(encodeSegment(requests, (name) => this.#ids.get(name) ?? 0))
  }
}
