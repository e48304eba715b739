import { describe, expect, test } from "bun:test"
import { decodeColumn, encodeColumn } from "../../src/store/columns/column.ts"
import { ColumnCache } from "../../src/store/columns/column-cache.ts"
import { compareSegments } from "../../src/store/columns/compare-segments.ts"
import { sampleSegments } from "../../src/store/columns/sample-segments.ts"
import { encodeSegment, type Segment, segmentOf } from "../../src/store/columns/segment.ts"
import { Slots } from "../../src/store/columns/slots.ts"
import { sumSegments } from "../../src/store/columns/sum-segments.ts"
import type { RequestSummary } from "../../src/store/request-summary.ts"
import type { UsageOrder } from "../../src/store/requests.ts"
import { Random } from "../../torture/random.ts"

const AT = Date.UTC(2026, 2, 2)
const HOUR = 3_600_000
const EVERYTHING = { from: AT, to: AT + 100 * HOUR, names: [], tags: [] } as const

function summary(row: number, change: Partial<RequestSummary> = {}): RequestSummary {
  return {
    row,
    request: `req_${row}`,
    account: "a",
    key: "k",
    endpoint: "/v1/messages",
    model: "m",
    provider: null,
    priceGroup: null,
    status: "settled",
    outcome: "ok",
    failed: false,
    stream: false,
    estimated: false,
    at: AT + row,
    duration: row,
    firstByte: null,
    input: 1,
    output: 2,
    cost: 1n,
    writtenOff: 0n,
    providerCost: 0n,
    labels: {},
    ...change,
  }
}

/** Returns segments of requests. In a segment, names are already replaced by numbers. */
function segmentsOf(requests: readonly RequestSummary[], size: number): Segment[] {
  const segments: Segment[] = []
  for (let first = 0; first < requests.length; first += size) {
    segments.push(segmentOf(encodeSegment(requests.slice(first, first + size), Number)))
  }
  return segments
}

/** Returns requests that each have their own session. */
function sessions(count: number, random: Random): RequestSummary[] {
  return Array.from({ length: count }, (_, row) =>
    summary(row, {
      cost: BigInt(random.between(0, 2 ** 40)),
      failed: random.chance(0.3),
      input: random.between(0, 100),
      labels: { session: String(row + 1) },
      account: "1",
      key: "2",
      endpoint: "3",
      model: "4",
      outcome: "5",
    }),
  )
}

describe("segment columns", () => {
  test("store numbers of any size", () => {
    for (const largest of [1, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2n ** 62n]) {
      const bytes = encodeColumn([0, largest, 7]) ?? new Uint8Array()
      // The bytes are moved to an unaligned position, as they may be in a server's response.
      const moved = new Uint8Array(bytes.byteLength + 1)
      moved.set(bytes, 1)
      for (const read of [bytes, moved.subarray(1)]) {
        const { lower, upper } = decodeColumn(read)
        const values = [...lower].map(
          (low, row) => (BigInt(upper?.[row] ?? 0) << 32n) + BigInt(low),
        )
        expect(values).toEqual([0n, BigInt(largest), 7n])
      }
    }
    expect(encodeColumn([0, 0n])).toBeUndefined()
    const { lower, upper } = decodeColumn(encodeColumn([-5]) ?? new Uint8Array())
    expect((BigInt(upper?.[0] ?? 0) << 32n) + BigInt(lower[0] ?? 0)).toBe(-5n)
  })

  test("get evicted from full memory, least recently used first", () => {
    const cache = new ColumnCache(1_000)
    const column = { lower: new Uint32Array(100) }
    cache.begin("one")
    cache.take(1, () => column)
    cache.take(2, () => column)
    cache.take(1, () => undefined)
    cache.take(3, () => column)
    expect([1, 2, 3].map((place) => cache.has(place))).toEqual([true, false, true])
    // Rows that a query has found stay valid for this query after the cache evicts them.
    const known = cache.known([1, 3])
    cache.take(4, () => ({ lower: new Uint32Array(200) }))
    expect(cache.known([1, 3])).toBeUndefined()
    expect(known).toEqual([column, column])
    cache.begin("two")
    expect(cache.has(1)).toBe(false)
  })
})

test("slots number keys in the order of their first use, up to the largest key", () => {
  const slots = new Slots()
  const largest = 2 ** 31 - 1
  const keys = Int32Array.from([7, 0, largest, 7, 2 ** 15, 0])
  slots.takeAll(keys, keys.length)
  expect([...keys]).toEqual([0, 1, 2, 0, 3, 1])
  expect([0, 1, 2, 3].map((slot) => slots.keyOf(slot))).toEqual([7, 0, largest, 2 ** 15])
  expect([largest, 8, 2 ** 16].map((key) => slots.find(key))).toEqual([2, -1, -1])
  // More keys than the arrays hold at first, and each on a page of its own.
  const many = Int32Array.from({ length: 2_000 }, (_, index) => index * 2 ** 15 + 1)
  slots.takeAll(many, many.length)
  expect(slots.size).toBe(2_004)
  expect([...many].every((slot, index) => slots.keyOf(slot) === index * 2 ** 15 + 1)).toBe(true)
})

test("comparisons of many groups contain the largest changes, even with a small limit", () => {
  const random = new Random(8)
  const requests = Array.from({ length: 1_000 }, (_, row) =>
    summary(row, {
      // Each session occurs in both periods. Some amounts need more than 32 bits.
      at: AT + (row % 2) * HOUR,
      cost: BigInt(random.between(0, random.chance(0.5) ? 2 ** 40 : 1_000)),
      labels: { session: String(Math.floor(row / 2) + 1) },
      account: "1",
      key: "2",
      endpoint: "3",
      model: "4",
      outcome: "5",
    }),
  )
  const changes = Array.from({ length: 500 }, (_, index) => {
    const [before = 0n, after = 0n] = requests
      .slice(2 * index, 2 * index + 2)
      .map(({ cost }) => cost)
    return {
      key: index + 1,
      after: { cost: after, requests: 1 },
      before: { cost: before, requests: 1 },
    }
  }).toSorted((left, right) =>
    Number(right.after.cost - right.before.cost - (left.after.cost - left.before.cost)),
  )
  const query = {
    before: { ...EVERYTHING, to: AT + HOUR },
    after: { ...EVERYTHING, from: AT + HOUR },
    grouping: { column: "session", hasNone: false },
    count: 10,
  } as const
  for (const most of [1_000, 300, 40]) {
    const found = new Map(
      compareSegments(segmentsOf(requests, 300), query, most).map((change) => [change.key, change]),
    )
    for (const change of [...changes.slice(0, 10), ...changes.slice(-10)]) {
      expect(found.get(change.key)).toEqual(change)
    }
  }
})

describe("totals of many groups", () => {
  test("contain the largest groups, even with a small limit", () => {
    const requests = sessions(1_000, new Random(7))
    const segments = segmentsOf(requests, 500)
    const sizes: Record<UsageOrder, (request: RequestSummary) => bigint> = {
      cost: ({ cost }) => cost,
      requests: () => 1n,
      errors: ({ failed }) => (failed ? 1n : 0n),
      tokens: ({ input, output }) => BigInt(input + output),
    }
    for (const order of ["cost", "requests", "errors", "tokens"] as const) {
      const query = {
        filter: EVERYTHING,
        grouping: { column: "session", hasNone: false },
        order,
        count: 20,
      } as const
      const size = sizes[order]
      const expected = requests
        .toSorted((left, right) => {
          const [one, other] = [size(left), size(right)]
          return Number(other - one) || Number(right.cost - left.cost)
        })
        .slice(0, 20)
        .map(({ labels, cost }) => [Number(labels.session), cost])
        .toSorted(([left], [right]) => Number(left) - Number(right))
      for (const limits of [
        { few: 8_192, many: 100_000 },
        { few: 100, many: 10_000 },
        { few: 100, many: 300 },
      ]) {
        const found = new Map(
          sumSegments(segments, query, limits).map(({ key, sums }) => [key, sums.cost]),
        )
        // There may be further rows, but all of the expected rows must exist.
        expect(expected.map(([key]) => [key, found.get(Number(key))])).toEqual(expected)
      }
    }
  })

  test("remain exact beyond the range of safe integers", () => {
    const cost = 2n ** 53n - 1n
    const requests = Array.from({ length: 3_000 }, (_, row) =>
      summary(row, { cost, account: "1", key: "2", endpoint: "3", model: "4", outcome: "5" }),
    )
    const [all] = sumSegments(segmentsOf(requests, 1_000), {
      filter: EVERYTHING,
      grouping: { column: "none" },
      order: "cost",
      count: 1,
    })
    expect(all?.sums.cost).toBe(3_000n * cost)
  })
})

test("a sample contains every n-th answered request, with its groups", () => {
  const requests = sessions(1_000, new Random(9)).map((request, row) => ({
    ...request,
    status: row % 10 === 0 ? ("released" as const) : ("settled" as const),
    labels: { tags: row % 2 === 0 ? {} : { 1: "1" } },
  }))
  const segments = requests.map((request) => segmentOf(encodeSegment([request], () => 6)))
  const sample = sampleSegments(
    segments,
    EVERYTHING,
    { grouping: { column: "tags" }, keys: [undefined, 6] },
    100,
  )
  expect(sample.isComplete).toBe(false)
  expect(sample.at).toHaveLength(100)
  expect([...sample.duration].every((duration) => duration % 10 !== 0)).toBe(true)
  const tagged = [...sample.duration.keys()].filter((at) => (sample.duration[at] ?? 0) % 2 === 1)
  expect([...sample.entries.responses]).toEqual(tagged)
  expect(new Set(sample.entries.names)).toEqual(new Set([1]))
  const all = sampleSegments(segments, EVERYTHING, { grouping: { column: "none" }, keys: [] })
  expect(all.isComplete).toBe(true)
})
