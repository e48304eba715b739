import type { Database } from "bun:sqlite"
import { ColumnCache } from "../columns/column-cache.ts"
import { encodeSegment, namesOf, segmentOf, type Segment, SEGMENT_SIZE } from "../columns/segment.ts"
import { hoursOf, type NameIds, type SegmentSource } from "../columns/usage-of-segments.ts"
import type { RequestSummary } from "../request-summary.ts"
import type { UsageFilter } from "../requests.ts"
import { requestsBehind } from "./requests-list.ts"
import { RequestSegments } from "./request-segments.ts"

/** Ids of names that are in no segment yet are counted down from here, which the others never come to. */
const LAST_ID = 2 ** 31 - 1

/** Bytes of columns that are kept in memory: those of a million requests. */
const CACHE_SIZE = 64 * 1024 * 1024

/** The newest requests, which are in no segment yet, as one. */
interface Newest {
  readonly state: string
  readonly segment: Segment | undefined
  readonly names: NameIds
}

/** Reads what usage of labels is made of: segments, and the newest requests. */
export class SegmentUsage {
  readonly #index: Database
  readonly #segments: RequestSegments
  readonly #cache = new ColumnCache(CACHE_SIZE)
  #newest: Newest | undefined

  constructor(index: Database) {
    this.#index = index
    this.#segments = new RequestSegments(index)
  }

  /** Makes a report of one state of the index. */
  report<Report>(filter: UsageFilter, make: (source: SegmentSource) => Report): Report {
    return this.#index.transaction(() => {
      const { segment, names } = this.#readNewest()
      const { from, to } = hoursOf(filter)
      const stored = this.#segments.between(from, to, this.#cache)
      return make({ segments: segment ? [...stored, segment] : stored, names })
    })()
  }

  /** Several reports of the same state read it once. */
  #readNewest(): Newest {
    const { state, generation } = this.#state()
    this.#cache.begin(generation)
    if (this.#newest?.state === state) return this.#newest
    const requests: RequestSummary[] = []
    for (let behind = this.#segments.end(); ;) {
      const found = requestsBehind(this.#index, behind, SEGMENT_SIZE)
      requests.push(...found)
      const last = found.at(-1)
      if (last === undefined || found.length < SEGMENT_SIZE) break
      behind = BigInt(last.row)
    }
    const { ids, names } = this.#namesFor(requests)
    const segment =
      requests.length === 0
        ? undefined
        : segmentOf(encodeSegment(requests, (name) => ids.get(name) ?? 0))
    this.#newest = { state, segment, names }
    return this.#newest
  }

  /** What changes with the requests of the index, and what with those that are in segments already. */
  #state(): { readonly state: string; readonly generation: string } {
    const row = this.#index
      .query<{ row: bigint; made: string; removed: bigint }, []>(
        "SELECT row, made, row_count AS removed FROM progress, sealed",
      )
      .get()
    const generation = `${row?.made} ${row?.removed}`
    return { state: `${generation} ${row?.row}`, generation }
  }

  /** Names of segments have their ids; those that only these requests have are numbered here. */
  #namesFor(requests: readonly RequestSummary[]): { ids: Map<string, number>; names: NameIds } {
    const find = this.#index.query<{ id: bigint }, [string]>("SELECT id FROM names WHERE name = ?")
    const stored = (name: string): number | undefined => {
      if (name === "") return 0
      const row = find.get(name)
      return row ? Number(row.id) : undefined
    }
    const ids = new Map<string, number>()
    const own = new Map<number, string>()
    for (const name of namesOf(requests)) {
      let id = stored(name)
      if (id === undefined) own.set((id = LAST_ID - own.size), name)
      ids.set(name, id)
    }
    const name = this.#index.query<{ name: string }, [number]>("SELECT name FROM names WHERE id = ?")
    const names: NameIds = {
      idOf: (text) => ids.get(text) ?? stored(text),
      nameOf: (id) => own.get(id) ?? name.get(id)?.name ?? "",
    }
    return { ids, names }
  }
}
