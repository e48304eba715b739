import { ColumnCache } from "../columns/column-cache.ts"
import { type Column, decodeColumn } from "../columns/column.ts"
import { AMOUNT_COLUMNS, type ColumnName, NAME_COLUMNS, Segment } from "../columns/segment.ts"
import type { IdFilter } from "../columns/selection.ts"
import {
  changedGroups,
  columnsFor,
  firstGroups,
  hoursOf,
  idFilterOf,
  type IdOf,
  namedChanges,
  namedSums,
  namesInFilter,
  NO_RESPONSES,
  sampleOf,
  usageSeriesOf,
} from "../columns/usage-of-segments.ts"
import type {
  ResponseSample,
  SeriesGroup,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsagePoint,
  UsageSum,
} from "../requests.ts"
import type { UsageChange, UsageComparison } from "../usage-changes.ts"
import { bigints, texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { matchesNothing } from "../text-filters.ts"
import { MAX_NEWEST, NewestReceipts } from "./newest-receipts.ts"
import { appendSegment } from "./request-segments.ts"

/** Maximum bytes of cached columns, which is enough for about a million requests. */
const CACHE_BYTES = 64 * 1024 * 1024
/** Maximum segments whose columns one query reads. */
const FETCH_BATCH = 64

/** The columns in the order of their positions in the cache. New columns must be added at the end. */
const COLUMNS: readonly ColumnName[] = [
  "at",
  "flags",
  ...NAME_COLUMNS,
  "tag_counts",
  "tags",
  ...AMOUNT_COLUMNS,
]
const PLACES = new Map(COLUMNS.map((name, place) => [name, place]))

interface SegmentRow {
  readonly id: bigint
  readonly count: number
  readonly first_at: bigint
  readonly last_at: bigint
}

/** The data of a report. */
interface Source {
  readonly ids: IdFilter
  /** The same filter for the period to compare with. */
  readonly before: IdFilter
  readonly segments: readonly Segment[]
  readonly idOf: IdOf
  /** Names that only the newest requests use, by temporary id. */
  readonly own: ReadonlyMap<number, string>
}

interface Span {
  readonly from: number
  readonly to: number
}

interface ReadOptions {
  /** Additional names that need ids. */
  readonly names?: readonly string[]
  /** The period to compare with. */
  readonly before?: Span
}

/**
 * Builds usage reports from segments, and from the newest requests that are not in a segment yet. Intended for a
 * separate thread.
 */
export class SegmentUsage {
  readonly #client: PostgresClient
  readonly #cache: ColumnCache
  readonly #newest = new NewestReceipts()
  #appending: Promise<void> | undefined
  #lastRead: Promise<unknown> = Promise.resolve()

  constructor(client: PostgresClient, cacheBytes = CACHE_BYTES) {
    this.#client = client
    this.#cache = new ColumnCache(cacheBytes)
  }

  /**
   * Whether segments contain all requests of a report. They do not if requests were pruned, because only sums remain,
   * or while segments are far behind.
   */
  async covers({ from }: UsageFilter): Promise<boolean> {
    const row = await this.#client.row<{ covered: boolean }>(
      `SELECT until <= $1 AND NOT EXISTS (SELECT FROM entries WHERE position > segment_end.position
         ORDER BY position OFFSET ${MAX_NEWEST - 1} LIMIT 1) AS covered FROM pruned_rows, segment_end`,
      [BigInt(from)],
    )
    return row?.covered === true
  }

  async sumUsage(filter: UsageFilter, group: UsageGroup, first?: UsageFirst): Promise<UsageSum[]> {
    const source = await this.#read(filter, columnsFor(filter, [group]))
    if (source === undefined) return []
    const found = firstGroups(source.segments, source.ids, group, first)
    const nameOf = await this.#namesOf(
      source,
      found.map(({ key }) => key),
    )
    return namedSums(found, group, first, nameOf)
  }

  async usageChanges(
    { after, before }: UsageComparison,
    groups: readonly UsageGroup[],
    count: number,
  ): Promise<UsageChange[][]> {
    const columns = columnsFor(after, groups, ["cost"])
    const source = await this.#read(after, columns, { before })
    if (source === undefined) return groups.map(() => [])
    const { segments, ...periods } = { ...source, after: source.ids }
    const found = groups.map((group) => changedGroups(segments, periods, group, count))
    const keys = found.flatMap((changes) => changes.map(({ key }) => key))
    const nameOf = await this.#namesOf(source, [...new Set(keys)])
    return found.map((changes) => namedChanges(changes, nameOf))
  }

  async usageSeries(filter: UsageFilter, series: SeriesGroup): Promise<UsagePoint[]> {
    const source = await this.#read(filter, columnsFor(filter, [series.group]), series)
    return source ? usageSeriesOf(source.segments, source.ids, series, source.idOf) : []
  }

  async sampleResponses(
    filter: UsageFilter,
    group: UsageGroup,
    names: readonly string[],
  ): Promise<ResponseSample> {
    const source = await this.#read(filter, columnsFor(filter, [group]), { names })
    if (source === undefined) return NO_RESPONSES
    return sampleOf(source.segments, source.ids, { group, names }, source.idOf)
  }

  /** Creates segments while there are enough receipts for another one. */
  append(): Promise<void> {
    this.#appending ??= this.#appendAll().finally(() => {
      this.#appending = undefined
    })
    return this.#appending
  }

  async #appendAll(): Promise<void> {
    while (await appendSegment(this.#client));
  }

  /**
   * Reads one state of the database. Reads run one after the other, because they share the newest receipts and the
   * cache.
   */
  #read(
    filter: UsageFilter,
    columns: readonly ColumnName[],
    { names = [], before = filter }: ReadOptions = {},
  ): Promise<Source | undefined> {
    if (matchesNothing(filter) || filter.labels?.some(matchesNothing))
      return Promise.resolve(undefined)
    const spans = [hoursOf(filter), hoursOf(before)]
    const whole = {
      from: Math.min(...spans.map(({ from }) => from)),
      to: Math.max(...spans.map(({ to }) => to)),
    }
    const read = this.#lastRead.then(() =>
      this.#client.consistently(async (transaction) => {
        // A generic plan is used, because planning for each partition would take longer than reading.
        await transaction.script("SET LOCAL plan_cache_mode = force_generic_plan")
        const { until, newest, idOf, own } = await this.#newest.read(transaction, whole, [
          ...namesInFilter(filter),
          ...names,
        ])
        const ids = idFilterOf(filter, idOf)
        // Reports by label exclude pruned requests.
        const [span, earlier] = spans.map(({ from, to }) => ({ from: Math.max(from, until), to }))
        if (ids === undefined || span === undefined || span.from >= span.to) return undefined
        const stored = await this.#fetch(transaction, span, earlier ?? span, columns)
        return {
          ids: { ...ids, ...span },
          before: { ...ids, ...earlier },
          segments: [...stored, ...newest],
          idOf,
          own,
        }
      }),
    )
    this.#lastRead = read.catch(() => undefined)
    return read
  }

  async #fetch(
    transaction: Statements,
    span: Span,
    earlier: Span,
    columns: readonly ColumnName[],
  ): Promise<Segment[]> {
    const rows = await transaction.rows<SegmentRow>(
      `SELECT id, count, first_at, last_at FROM request_segments
       WHERE (last_at >= $1 AND first_at < $2) OR (last_at >= $3 AND first_at < $4) ORDER BY id`,
      [span.from, span.to, earlier.from, earlier.to].map(BigInt),
    )
    const segments: Segment[] = []
    for (let first = 0; first < rows.length; first += FETCH_BATCH) {
      const some = rows.slice(first, first + FETCH_BATCH)
      const places = some.map(({ id }) => columns.map((name) => placeOf(id, name)))
      // The cached columns are read first, because adding others may evict them.
      const known = places.map((own) => this.#cache.known(own))
      const missing = some.filter((_, at) => known[at] === undefined)
      const found = await fetchColumns(transaction, missing, columns)
      for (const [at, row] of some.entries()) {
        const own = places[at] ?? []
        const read =
          known[at] ?? own.map((place) => this.#cache.take(place, () => found.get(place)))
        const held = new Map(columns.map((name, index) => [name, read[index]]))
        const size = { count: row.count, from: Number(row.first_at), to: Number(row.last_at) }
        segments.push(new Segment(size, (name) => held.get(name)))
      }
    }
    return segments
  }

  async #namesOf({ own }: Source, keys: readonly number[]): Promise<(id: number) => string> {
    const stored = keys.filter((key) => !own.has(key))
    const rows = await this.#client.rows<{ id: number; name: string }>(
      "SELECT id, name FROM request_names WHERE id = ANY($1)",
      [bigints(stored.map(BigInt))],
    )
    const names = new Map(rows.map(({ id, name }) => [id, name]))
    return (id) => own.get(id) ?? names.get(id) ?? ""
  }
}

async function fetchColumns(
  transaction: Statements,
  segments: readonly SegmentRow[],
  columns: readonly ColumnName[],
): Promise<Map<number, Column>> {
  if (segments.length === 0) return new Map()
  const rows = await transaction.rows<{ segment: bigint; name: ColumnName; numbers: Buffer }>(
    "SELECT segment, name, numbers FROM segment_columns WHERE segment = ANY($1) AND name = ANY($2)",
    [bigints(segments.map(({ id }) => id)), texts(columns)],
  )
  return new Map(
    rows.map(({ segment, name, numbers }) => [placeOf(segment, name), decodeColumn(numbers)]),
  )
}

function placeOf(segment: bigint, name: ColumnName): number {
  return Number(segment) * COLUMNS.length + (PLACES.get(name) ?? 0)
}
