import { Database } from "bun:sqlite"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { RateLimiter } from "../../src/limits/rate-limiter.ts"
import { Rates } from "../../src/limits/rates.ts"
import { RunningRequests } from "../../src/limits/running-requests.ts"
import { SharedBuckets } from "../../src/limits/shared-buckets.ts"
import { MachineClock } from "../../src/machine/machine-clock.ts"
import { Presence } from "../../src/machine/presence.ts"
import { SharedMemory } from "../../src/machine/shared-memory.ts"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { RateLimits } from "../../src/store/sqlite/rate-limits.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"
import type { RateLimitWrites } from "../../src/store/rate-limits.ts"
import { ENGINES } from "../store/engines.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const MINUTE = 60_000
const LIMIT = 100_000

let now = 1_000_000
let key = ""
let keys = 0
beforeEach(() => {
  key = `reservations${++keys}`
})

/** Leases from a database whose clock is the clock of the test. */
function simulatedLeases(): RateLimitWrites {
  const database = new Database(":memory:", { safeIntegers: true })
  migrate(database, LEDGER_SCHEMA)
  const limits = new RateLimits(database)
  return {
    lease: async (orders, machines) =>
      orders.map((order) => limits.lease(order, machines, Math.floor(now))),
    leaseSlots: async (order) => limits.leaseSlots(order),
  }
}

function ratesOf(limits: RateLimitWrites, machines: number, local: RateLimiter): Rates {
  const memory = SharedMemory.own()
  const running = new RunningRequests(memory, new Presence(memory, new MachineClock()))
  const onFailure = (error: unknown) => expect(error).toBeUndefined()
  const clock = () => now
  const node = crypto.randomUUID()
  const rates = new Rates({ limits, local, running, clock, onFailure, node })
  rates.setMachines(machines)
  return rates
}

const local = () => new RateLimiter(() => now)
const KINDS: Record<string, () => Rates[]> = {
  "one process": () => [ratesOf(simulatedLeases(), 1, local())],
  "processes of one machine": () => {
    const memory = SharedMemory.own()
    const limiter = () => new RateLimiter(() => now, new SharedBuckets(memory))
    return [1, 2].map(() => ratesOf(simulatedLeases(), 1, limiter()))
  },
  "two machines": () => {
    const limits = simulatedLeases()
    return [1, 2].map(() => ratesOf(limits, 2, local()))
  },
}

/** A request that reserves tokens. */
class Running {
  readonly #since = now
  readonly rates: Rates
  readonly tokens: number

  constructor(rates: Rates, tokens: number) {
    this.rates = rates
    this.tokens = tokens
  }

  end(used: number): void {
    const heldMs = now - this.#since
    this.rates.settle(key, { reserved: this.tokens, used, heldMs })
  }
}

async function begin(
  rates: Rates | undefined,
  tokens: number,
  tokensPerMinute = LIMIT,
): Promise<Running | undefined> {
  if (!rates) throw new Error("no process")
  const running = new Running(rates, tokens)
  try {
    await rates.check(key, { tokensPerMinute, tokens })
    return running
  } catch {
    return undefined
  }
}

/** Lets leases that are on their way arrive, and their surplus return. */
async function arrive(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

async function remaining(rates: Rates | undefined): Promise<number> {
  const headers = await rates?.check(key, { tokensPerMinute: LIMIT, tokens: 0 })
  return Number(headers?.["x-ratelimit-remaining-tokens"])
}

describe.each(Object.keys(KINDS))("reserved tokens of %s", (kind) => {
  let all: Rates[] = []
  beforeEach(() => {
    all = KINDS[kind]?.() ?? []
  })

  test("become available again after long parallel requests", async () => {
    for (let round = 0; round < 3; round++) {
      const requests: (Running | undefined)[] = []
      for (let count = 0; count < 3; count++) {
        requests.push(await begin(all[count % all.length], 32_000))
        await arrive()
      }
      expect(requests.filter(Boolean)).toHaveLength(3)
      now += 20_000
      for (const request of requests) request?.end(300)
      await arrive()
      now += 100
    }
    // Each of several machines may have leased a sixteenth in advance.
    for (const rates of all) expect(await remaining(rates)).toBeGreaterThan(LIMIT * 0.86)
  })

  test("do not prevent used tokens from draining", async () => {
    const [one] = all
    const used = await begin(one, 60_000)
    used?.end(60_000)
    const request = await begin(one, 32_000)
    now += 30_000
    request?.end(0)
    await arrive()
    expect(await remaining(one)).toBeWithin(89_000, 90_001)
  })

  test("drain from the start of their request if they are used", async () => {
    const [one] = all
    const request = await begin(one, 80_000)
    now += 30_000
    request?.end(80_000)
    await arrive()
    expect(await remaining(one)).toBeWithin(69_000, 70_001)
  })

  test("never add more tokens than were reserved when they are returned", async () => {
    const [one] = all
    const requests: (Running | undefined)[] = []
    for (let minute = 0; minute < 10; minute++) {
      requests.push(await begin(one, LIMIT))
      now += MINUTE
      await arrive()
    }
    expect(requests.filter(Boolean)).toHaveLength(10)
    const last = await begin(one, LIMIT)
    last?.end(LIMIT)
    await arrive()
    for (const request of requests) request?.end(0)
    await arrive()
    // More than a machine leases in advance.
    expect(await begin(one, 10_000)).toBeUndefined()
  })
})

describe.each(ENGINES.map(({ name }) => name))("reserved tokens of machines on %s", (name) => {
  let database: TestDatabase
  let leasing = 0
  const limits: RateLimitWrites = {
    lease: async (orders, machines) => {
      leasing++
      try {
        return await database.store.rateLimits.lease(orders, machines)
      } finally {
        leasing--
      }
    },
    leaseSlots: (order) => database.store.rateLimits.leaseSlots(order),
  }
  beforeAll(async () => {
    const engine = ENGINES.find((each) => each.name === name)
    if (!engine) throw new Error(`no ${name}`)
    database = await TestDatabase.on(engine)
  })
  afterAll(async () => {
    await until(() => leasing === 0)
    await database[Symbol.asyncDispose]()
  })

  test("return to all machines when requests end", async () => {
    const all = [1, 2].map(() => ratesOf(limits, 2, local()))
    const requests = [await begin(all[0], 45_000), await begin(all[1], 45_000)]
    expect(requests.filter(Boolean)).toHaveLength(2)
    now += 5_000
    for (const request of requests) request?.end(300)
    await until(async () => {
      // A rejection is repeated for a while, by the clock of the test.
      now += 50
      const large = await begin(all[0], 80_000)
      large?.end(0)
      return large !== undefined
    })
  })
})

test("one process admits no more tokens per minute than the limit and one burst", async () => {
  const gap = fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 3_000 }),
    fc.double({ min: 0, max: 70_000, noNaN: true }),
  )
  const step = fc.record({
    wait: gap,
    tokens: fc.integer({ min: 0, max: 1_000 }),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    lasts: gap,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const rates = ratesOf(simulatedLeases(), 1, local())
      const admitted: { at: number; units: number }[] = []
      const running: { until: number; units: number; request: Running }[] = []
      for (const { wait, tokens, used, lasts } of steps) {
        const next = now + wait
        for (;;) {
          const [first] = running.toSorted((left, right) => left.until - right.until)
          if (!first || first.until > next) break
          running.splice(running.indexOf(first), 1)
          now = first.until
          first.request.end(first.units)
        }
        now = next
        const request = await begin(rates, tokens, 1_000)
        if (!request) continue
        const units = Math.floor(tokens * used)
        admitted.push({ at: now, units })
        running.push({ until: now + lasts, units, request })
      }
      for (const { at: from } of admitted) {
        const inMinute = admitted.filter(({ at }) => at >= from && at < from + MINUTE)
        const sum = inMinute.reduce((total, { units }) => total + units, 0)
        expect(sum).toBeLessThanOrEqual(2 * 1_000 + 1e-6)
      }
    }),
  )
})
