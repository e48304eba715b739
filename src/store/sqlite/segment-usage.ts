import type { Database } from "bun:sqlite"
import { ColumnCache } from "../columns/column-cache.ts"
import {
  encodeSegment,
  namesOf,
  segmentOf,
  type Segment,
  SEGMENT_SIZE,
} from "../columns/segment.ts"
import type { IdFilter } from "../columns/selection.ts"
import type { Segments } from "../columns/sum-segments.ts"
import {
  changedGroups,
  firstGroups,
  hoursOf,
  idFilterOf,
  type IdOf,
  isLong,
  isOfSegments,
  namedChanges,
  namedSums,
  type NameOf,
  NO_RESPONSES,
  sampleOf,
  usageSeriesOf,
} from "../columns/usage-of-segments.ts"
import type { RequestSummary } from "../request-summary.ts"
import type {
  ResponseSample,
  SeriesGroup,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsagePoint,
  UsageSum,
  UsageTime,
} from "../requests.ts"
import type { UsageChange, UsageComparison } from "../usage-changes.ts"
import { requestsBehind } from "./requests-list.ts"
import { isOfSeveralNames } from "./usage-source.ts"
import { RequestSegments } from "./request-segments.ts"

/**
 * Names that are not in a segment yet get temporary ids, which count down from this number. Permanent ids never become
 * this large.
 */
const LAST_ID = 2 ** 31 - 1

/** Maximum bytes of cached columns, which is enough for about a million requests. */
const CACHE_BYTES = 64 * 1024 * 1024

/**
 * Whether a report may be built from segments if they cover its time range, because it is by label or segments are
 * faster.
 */
export function mayBeOfSegments(
  filter: UsageFilter,
  group: UsageGroup,
  step: UsageTime = "day",
): boolean {
  if (isOfSegments(filter, group)) return true
  return isLong(filter) && (isOfSeveralNames(filter) || step === "hour" || group === "hour")
}

/** A temporary segment with the newest requests, which are not in a stored segment yet. */
interface Newest {
  readonly state: string
  readonly segment: Segment | undefined
  readonly idOf: IdOf
  readonly nameOf: NameOf
}

interface Names {
  /** Ids of the names that occur in the newest requests. */
  readonly ids: ReadonlyMap<string, number>
  readonly idOf: IdOf
  readonly nameOf: NameOf
}

/** The data of a report. */
interface Source {
  readonly ids: IdFilter
  readonly segments: Segments
  readonly idOf: IdOf
  readonly nameOf: NameOf
}

/** Builds usage reports from segments and the newest requests. */
export class SegmentUsage {
  readonly #index: Database
  readonly #segments: RequestSegments
  readonly #cache = new ColumnCache(CACHE_BYTES)
  #newest: Newest | undefined

  constructor(index: Database) {
    this.#index = index
    this.#segments = new RequestSegments(index)
  }

  /** Whether segments contain all requests since a given time. Only sums remain of pruned requests. */
  covers({ from }: UsageFilter): boolean {
    const row = this.#index.query<{ until: bigint }, []>("SELECT until FROM pruned_rows").get()
    return row !== null && Number(row.until) <= from
  }

  /** Implements `RequestReports.sumUsage`. */
  sumUsage(filter: UsageFilter, group: UsageGroup, first?: UsageFirst): UsageSum[] {
    return this.#report(filter, [], ({ ids, segments, nameOf }) =>
      namedSums(firstGroups(segments, ids, group, first), group, first, nameOf),
    )
  }

  /** Implements `RequestReports.usageChanges`. */
  usageChanges(
    { after, before }: UsageComparison,
    groups: readonly UsageGroup[],
    count: number,
  ): UsageChange[][] {
    const whole = {
      ...after,
      from: Math.min(after.from, before.from),
      to: Math.max(after.to, before.to),
    }
    const nothing = groups.map(() => [])
    return this.#report<UsageChange[][]>(whole, nothing, ({ ids, segments, nameOf }) => {
      const periods = {
        after: { ...ids, ...hoursOf(after) },
        before: { ...ids, ...hoursOf(before) },
      }
      return groups.map((group) =>
        namedChanges(changedGroups(segments, periods, group, count), nameOf),
      )
    })
  }

  usageSeries(filter: UsageFilter, series: SeriesGroup): UsagePoint[] {
    return this.#report(filter, [], ({ ids, segments, idOf }) =>
      usageSeriesOf(segments, ids, series, idOf),
    )
  }

  sampleResponses(
    filter: UsageFilter,
    group: UsageGroup,
    names: readonly string[],
  ): ResponseSample {
    return this.#report(filter, NO_RESPONSES, ({ ids, segments, idOf }) =>
      sampleOf(segments, ids, { group, names }, idOf),
    )
  }

  /**
   * Builds a report from one state of the index.
   * @param nothing the report if no request can match.
   */
  #report<Report>(filter: UsageFilter, nothing: Report, make: (source: Source) => Report): Report {
    return this.#index.transaction(() => {
      const { segment, idOf, nameOf } = this.#readNewest()
      const ids = idFilterOf(filter, idOf)
      if (ids === undefined) return nothing
      const { from, to } = hoursOf(filter)
      const stored = this.#segments.between(from, to, this.#cache)
      return make({ ids, segments: segment ? [...stored, segment] : stored, idOf, nameOf })
    })()
  }

  /** Reads the newest requests once per state of the index. */
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
    const { ids, ...names } = this.#namesFor(requests)
    const segment =
      requests.length === 0
        ? undefined
        : segmentOf(encodeSegment(requests, (name) => ids.get(name) ?? 0))
    this.#newest = { state, segment, ...names }
    return this.#newest
  }

  /** Returns two values. One changes with the indexed requests, and the other with the requests in segments. */
  #state(): { readonly state: string; readonly generation: string } {
    const row = this.#index
      .query<{ row: bigint; made: string; removed: bigint }, []>(
        "SELECT row, made, row_count AS removed FROM progress, pruned_rows",
      )
      .get()
    const generation = `${row?.made} ${row?.removed}`
    return { state: `${generation} ${row?.row}`, generation }
  }

  /** Returns the permanent ids of known names, and assigns temporary ids to names that only these requests have. */
  #namesFor(requests: readonly RequestSummary[]): Names {
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
    const name = this.#index.query<{ name: string }, [number]>(
      "SELECT name FROM names WHERE id = ?",
    )
    return {
      ids,
      idOf: (text) => ids.get(text) ?? stored(text),
      nameOf: (id) => own.get(id) ?? name.get(id)?.name ?? "",
    }
  }
}
