import { expect, test } from "bun:test"
import type { Labels } from "../../../src/accounting/labels.ts"
import { FILTER_NAMES, type FilterName } from "../../../src/store/request-names.ts"
import type {
  UsageFilter,
  UsageGroup,
  UsageOrder,
  UsagePoint,
  UsageSum,
} from "../../../src/store/requests.ts"
import { Random } from "../../../torture/random.ts"
import type { Engine } from "../engines.ts"
import { IS_EXHAUSTIVE } from "../../support/exhaustive.ts"
import { until } from "../../support/until.ts"
import { BEFORE, OLD, pruneAll } from "./pruning.ts"
import { ReportedEngine, type ReportedRequest } from "../reported-requests.ts"

const NOW = Date.now()
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** 2026-03-02, UTC. */
const AT = Date.UTC(2026, 2, 2)
/** More requests than one segment contains. */
const REQUESTS = 4_600
const QUERIES = IS_EXHAUSTIVE ? 60 : 20
const SEED = 20_261_126
const GROUPS: readonly UsageGroup[] = [
  "user",
  "session",
  "tag",
  "model",
  "key",
  "account",
  "endpoint",
  "outcome",
  "price_group",
  "hour",
  "day",
  "all",
]
const ORDERS: readonly UsageOrder[] = ["cost", "requests", "tokens", "errors"]

/** A time range in Unix milliseconds. The end is exclusive. */
type Span = Pick<UsageFilter, "from" | "to">

/** A request, as the test's own calculation needs it. */
interface Known {
  readonly at: number
  readonly names: Readonly<Record<string, readonly string[]>>
  readonly sum: Sum
}

interface Sum {
  requests: number
  errors: number
  tokens: number
  cost: bigint
  writtenOff: bigint
  providerCost: bigint
  durations: number
  duration: number
  firstBytes: number
  firstByte: number
}

/** Tests that an engine fulfills this contract. */
export function labelUsageContract(engine: Engine): void {
  // Each of these tests posts thousands of requests. On PostgreSQL, the next test reads a segment as well.
  if (engine.name === "SQLite" || IS_EXHAUSTIVE) segmentContract(engine)

  test("totals of users, sessions and tags match the receipts", async () => {
    const random = new Random(SEED)
    await using own = await ReportedEngine.on(engine)
    const requests = Array.from({ length: REQUESTS }, (_, index) => requestAt(index, random))
    const known = requests.map(knownOf)
    for (let first = 0; first < REQUESTS; first += 100) {
      await own.add(...requests.slice(first, first + 100))
      // Some rows are already in the reports, and others are added later.
      if (first === 1_500 || first === 4_000) await own.reports.upToDate()
      while ((await own.database.store.integrity.advanceAnchor(AT)).isBehind);
    }
    const tags = known.reduce((sum, { names }) => sum + (names["tag"]?.length ?? 0), 0)
    const whole = { from: AT - DAY, to: AT + 9 * DAY }
    await until(async () => {
      const counts = Object.values(await countsBy(own, "tag", whole))
      return counts.reduce((sum, count) => sum + count, 0) === tags
    })
    const reports = await own.reports.upToDate()
    for (let query = 0; query < QUERIES; query++) {
      const { filter, group } = queryOf(random)
      const order = random.pick(ORDERS)
      const count = random.pick([3, 1_000])
      const meant = known.filter((one) => isMeant(one, filter))
      const expected = groupsOf(meant, group)
      const sums = await reports.sumUsage(filter, group, { order, count })
      expectSums(sums, expected, { isWhole: group === "hour" || group === "day", order, count })
      if (group === "hour" || group === "day") continue
      const names = sums.slice(0, 2).map((sum) => sum.group)
      const step = random.pick(["hour", "day"] as const)
      const points = await reports.usageSeries(filter, { group, names, step })
      expectPoints(points, pointsOf(meant, { group, names, length: step === "day" ? DAY : HOUR }))
    }
  })
}

/** The number is so high that the first requests form a segment. */
const MANY = 4_200

function plain(at: number, count: number, user: string): ReportedRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    request: `req_${Bun.randomUUIDv7("hex", at + index)}`,
    at: at + index,
    labels: { user, tags: { feature: "search" } },
  }))
}

async function addAll(own: ReportedEngine, requests: readonly ReportedRequest[]): Promise<void> {
  for (let first = 0; first < requests.length; first += 100) {
    await own.add(...requests.slice(first, first + 100))
  }
  while ((await own.database.store.integrity.advanceAnchor(Date.now())).isBehind);
}

type Counts = Readonly<Record<string, number>>

async function countsBy(own: ReportedEngine, group: UsageGroup, span: Span): Promise<Counts> {
  const sums = await (await own.reports.upToDate()).sumUsage(span, group)
  return Object.fromEntries(sums.map((sum) => [sum.group, sum.requests]))
}

/** Waits for the expected counts, because a busy machine may answer before it has read the last requests. */
async function untilUsers(own: ReportedEngine, span: Span, expected: Counts): Promise<void> {
  let counts: Counts = {}
  const isThere = async () => Bun.deepEquals((counts = await countsBy(own, "user", span)), expected)
  await until(isThere).catch((error: unknown) => {
    expect(counts).toEqual(expected)
    throw error
  })
}

/** Tests that an engine fulfills the contract for requests in a segment. */
function segmentContract(engine: Engine): void {
  test("an expired request that is settled later is counted once, even after a long time", async () => {
    await using own = await ReportedEngine.on(engine)
    const { store } = own.database
    const receipt = JSON.stringify({ status: "expired", user: "ann" })
    const payer = { account: "a", key: "key_a", budgets: [] }
    await store.nodes.join({ id: "n", process: 1, host: "test", beatAt: 1, machine: null })
    const hold = { ...payer, request: "req_1", amount: 9n, at: AT, receipt }
    await store.settlements.post("n", { postings: [], opened: [hold], closed: [] })
    await store.nodes.remove("n", AT)
    await addAll(own, plain(AT, MANY, "bob"))
    const span = { from: AT, to: AT + DAY }
    // Until the request is settled, engines may differ: PostgreSQL already counts it.
    await until(async () => (await countsBy(own, "user", span))["bob"] === MANY)
    const late = { ...payer, request: "req_1", amount: 9n, writtenOff: [], at: AT }
    const settled = JSON.stringify({ user: "ann" })
    const postings = [{ ...late, receipt: settled }]
    await store.settlements.post("other", { postings, opened: [], closed: [] })
    await untilUsers(own, span, { ann: 1, bob: MANY })
    const reports = await own.reports.upToDate()
    const sums = await reports.sumUsage(span, "user")
    expect(sums.find(({ group }) => group === "ann")).toMatchObject({ requests: 1, cost: 9n })
  })

  test("totals of labels exclude removed requests", async () => {
    await using own = await ReportedEngine.on(engine)
    const { store } = own.database
    await addAll(own, [...plain(OLD, 2_000, "old"), ...plain(NOW, MANY - 2_000, "new")])
    const span = { from: OLD - DAY, to: NOW + DAY }
    await untilUsers(own, span, { old: 2_000, new: MANY - 2_000 })
    // The last request that is covered by the anchor is never removed.
    await addAll(own, plain(NOW + HOUR, 1, "last"))
    expect(await pruneAll(store, BEFORE)).toBeGreaterThan(1_000)
    await untilUsers(own, span, { new: MANY - 2_000, last: 1 })
    const reports = await own.reports.upToDate()
    const [all] = await reports.sumUsage(span, "all")
    expect(all?.requests).toBe(MANY + 1)
  })
}

function requestAt(index: number, random: Random): ReportedRequest {
  const failed = random.chance(0.1)
  const account = random.pick(["a", "a", "b"])
  return {
    request: `req_${String(index).padStart(6, "0")}`,
    account,
    key: random.pick([`key_${account}`, `other_${account}`]),
    // The requests are almost in chronological order.
    at: AT + Math.floor((index * 5 * DAY) / REQUESTS) + random.between(0, HOUR),
    model: `sim/${random.between(0, 3)}`,
    endpoint: random.pick(["/v1/chat/completions", "/v1/messages"]),
    // Some amounts need more than 32 bits.
    cost: failed ? 0n : BigInt(random.between(1, random.chance(0.02) ? 2 ** 34 : 5_000)),
    writtenOff:
      !failed && random.chance(0.05) ? [{ amount: 7n, reason: "usage_beyond_bound" }] : [],
    usage: failed ? null : { input: random.between(0, 90_000), output: random.between(0, 300) },
    status: failed ? "released" : "settled",
    outcomes: [failed ? "upstream_error" : "ok"],
    duration: random.between(1, 90_000),
    firstByte: random.chance(0.5) ? random.between(1, 900) : null,
    ...(random.chance(0.5) && { rate: "1", ...(random.chance(0.5) && { priceGroup: "partners" }) }),
    labels: labelsOf(index, random),
  }
}

function labelsOf(index: number, random: Random): Labels {
  if (random.chance(0.3)) return {}
  const tags = {
    ...(random.chance(0.7) && { feature: `f${random.between(0, 5)}` }),
    ...(random.chance(0.5) && { team: random.pick(["blue", "rot ✓", "=x"]) }),
    ...(random.chance(0.1) && { odd: String(index) }),
  }
  return {
    ...(random.chance(0.8) && { user: `user-${random.between(0, 60)}` }),
    // Most requests have their own session.
    ...(random.chance(0.8) && { session: `s-${random.chance(0.2) ? 1 : index}` }),
    ...(Object.keys(tags).length > 0 && { tags }),
  }
}

function knownOf(request: ReportedRequest): Known {
  const { account = "", key = "", model = "", endpoint = "", at = 0, labels = {} } = request
  const isAnswered = request.status === "settled"
  const writtenOff = (request.writtenOff ?? []).reduce((sum, { amount }) => sum + amount, 0n)
  const answered = writtenOff > 0n ? "written_off" : "ok"
  return {
    at,
    names: {
      account: [account],
      key: [key],
      model: [model],
      endpoint: [endpoint],
      price_group: [request.priceGroup ?? ""],
      outcome: [isAnswered ? answered : "upstream_error"],
      user: labels.user === undefined ? [] : [labels.user],
      session: labels.session === undefined ? [] : [labels.session],
      tag: Object.entries(labels.tags ?? {}).map(([name, value]) => `${name}=${value}`),
      hour: [String(Math.floor(at / HOUR) * HOUR)],
      day: [String(Math.floor(at / DAY) * DAY)],
      all: [""],
    },
    sum: {
      requests: 1,
      errors: isAnswered ? 0 : 1,
      tokens: (request.usage?.["input"] ?? 0) + (request.usage?.["output"] ?? 0),
      cost: request.cost ?? 0n,
      writtenOff,
      providerCost: request.rate === undefined ? 0n : 500_000_000n,
      durations: isAnswered ? 1 : 0,
      duration: isAnswered ? (request.duration ?? 0) : 0,
      firstBytes: isAnswered && request.firstByte !== null ? 1 : 0,
      firstByte: isAnswered ? (request.firstByte ?? 0) : 0,
    },
  }
}

/** Returns a query that only reports by label can answer. */
function queryOf(random: Random): { filter: UsageFilter; group: UsageGroup } {
  const group = random.pick(GROUPS)
  const labels = [
    { name: "user", value: `user-${random.between(0, 60)}` },
    { name: "tag", value: `feature=f${random.between(0, 5)}` },
    { name: "tag", value: "team=rot ✓" },
    { name: "session", value: random.pick(["s-1", "nowhere"]) },
  ] as const
  const isOfLabels = group === "user" || group === "session" || group === "tag"
  const few = labels.filter(() => random.chance(0.3))
  const from = AT + random.between(-1, 4) * DAY + random.between(0, DAY)
  return {
    group,
    filter: {
      from,
      to: from + random.pick([HOUR, DAY, 3 * DAY, 9 * DAY]),
      labels: few.length > 0 || isOfLabels ? few : [random.pick(labels)],
      ...random.pick([{}, { accounts: ["a"] }, { accounts: ["a", "b", "nobody"] }]),
      ...(random.chance(0.2) && { model: "sim/1" }),
      ...(random.chance(0.2) && { key: "other_a" }),
      ...(random.chance(0.1) && { outcome: "upstream_error" }),
      ...(random.chance(0.1) && { endpoint: "/v1/messages" }),
      ...(random.chance(0.1) && { price_group: "partners" }),
    },
  }
}

function isMeant({ at, names }: Known, filter: UsageFilter): boolean {
  if (at < Math.floor(filter.from / HOUR) * HOUR || at >= Math.ceil(filter.to / HOUR) * HOUR) {
    return false
  }
  const { accounts = names["account"] ?? [], labels = [] } = filter
  const isOf = (name: FilterName): boolean =>
    filter[name] === undefined || (names[name] ?? []).includes(filter[name])
  return (
    accounts.some((account) => names["account"]?.includes(account)) &&
    labels.every(({ name, value }) => names[name]?.includes(value)) &&
    FILTER_NAMES.every(isOf)
  )
}

function groupsOf(meant: readonly Known[], group: UsageGroup): Map<string, Sum> {
  const sums = new Map<string, Sum>()
  for (const { names, sum } of meant) {
    for (const name of names[group] ?? []) sums.set(name, added(sums.get(name), sum))
  }
  return sums
}

function pointsOf(
  meant: readonly Known[],
  {
    group,
    names: apart,
    length,
  }: { readonly group: UsageGroup; readonly names: readonly string[]; readonly length: number },
): Map<string, Sum> {
  const sums = new Map<string, Sum>()
  for (const { at, names, sum } of meant) {
    for (const name of names[group] ?? []) {
      const point = `${Math.floor(at / length) * length} ${apart.includes(name) ? name : ""}`
      sums.set(point, added(sums.get(point), sum))
    }
  }
  return sums
}

function added(known: Sum | undefined, sum: Sum): Sum {
  if (known === undefined) return { ...sum }
  return {
    requests: known.requests + sum.requests,
    errors: known.errors + sum.errors,
    tokens: known.tokens + sum.tokens,
    cost: known.cost + sum.cost,
    writtenOff: known.writtenOff + sum.writtenOff,
    providerCost: known.providerCost + sum.providerCost,
    durations: known.durations + sum.durations,
    duration: known.duration + sum.duration,
    firstBytes: known.firstBytes + sum.firstBytes,
    firstByte: known.firstByte + sum.firstByte,
  }
}

interface Expectation {
  readonly isWhole: boolean
  readonly order: UsageOrder
  readonly count: number
}

function expectSums(
  sums: readonly UsageSum[],
  expected: ReadonlyMap<string, Sum>,
  { isWhole, order, count }: Expectation,
): void {
  expect(sums.map(shown)).toEqual(sums.map(({ group }) => shownSum(group, expected.get(group))))
  expect(sums).toHaveLength(isWhole ? expected.size : Math.min(count, expected.size))
  if (isWhole) return
  const sizes = [...expected.values()]
    .map((sum) => BigInt(sum[order]))
    .toSorted((left, right) => Number(right - left))
  expect(sums.map((sum) => sizeOf(sum, order))).toEqual(sizes.slice(0, count))
}

function expectPoints(points: readonly UsagePoint[], expected: ReadonlyMap<string, Sum>): void {
  expect(points).toHaveLength(expected.size)
  for (const point of points) {
    const name = `${point.at} ${point.group}`
    expect(shown({ ...point, group: name })).toEqual(shownSum(name, expected.get(name)))
  }
}

function sizeOf(sum: UsageSum, order: UsageOrder): bigint {
  return BigInt(order === "tokens" ? sum.input + sum.output : sum[order])
}

function shown({ input, output, ...sum }: UsageSum): object {
  const { group, requests, errors, cost, writtenOff, providerCost } = sum
  const { meanDuration, meanFirstByte } = sum
  const sums = { group, requests, errors, tokens: input + output, cost, writtenOff, providerCost }
  return { ...sums, meanDuration, meanFirstByte }
}

function shownSum(group: string, sum: Sum | undefined): object {
  if (sum === undefined) return { group }
  const { durations, duration, firstBytes, firstByte, ...sums } = sum
  return {
    group,
    ...sums,
    meanDuration: durations === 0 ? null : Math.round(duration / durations),
    meanFirstByte: firstBytes === 0 ? null : Math.round(firstByte / firstBytes),
  }
}
