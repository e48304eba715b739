import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import { RateLimiter, type RateRequest } from "../../src/limits/rate-limiter.ts"
import { RunningRequests } from "../../src/limits/running-requests.ts"
import { MachineClock } from "../../src/machine/machine-clock.ts"
import { Presence } from "../../src/machine/presence.ts"
import { SharedMemory } from "../../src/machine/shared-memory.ts"
import { Rates } from "../../src/limits/rates.ts"
import type { RateGrant, RateLimitWrites, RateOrder } from "../../src/store/rate-limits.ts"
import { ENGINES } from "../store/engines.ts"
import { TestDatabase } from "../store/test-database.ts"
import { servedTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"

let database: TestDatabase
/** A key that only this test uses. */
let key = ""
let tests = 0
beforeAll(async () => {
  const engine = ENGINES.find(({ name }) => name === "PostgreSQL")
  if (!engine) throw new Error("no PostgreSQL")
  database = await TestDatabase.on(engine)
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => {
  key = `key${++tests}`
})

/** A waiting time that the database does not exceed on a busy machine. */
const LONG_WAIT_MS = 60_000
/** The waiting time of the gateway. */
const USUAL_WAIT_MS = 1_000

/** A machine that counts its calls to the database. The test sets whether the database answers. */
class Member {
  readonly orders: RateOrder[][] = []
  answered = 0
  readonly failures: unknown[] = []
  readonly rates: Rates
  skew = 0
  isAway = false
  isSilent = false

  constructor(limits: RateLimitWrites = database.store.rateLimits, maxWaitMs = LONG_WAIT_MS) {
    const clock = () => performance.now() + this.skew
    const local = new RateLimiter(clock)
    const memory = SharedMemory.own()
    const running = new RunningRequests(memory, new Presence(memory, new MachineClock()))
    const lease: RateLimitWrites["lease"] = async (orders, machines) => {
      this.orders.push([...orders])
      if (this.isAway) throw new Error("away")
      if (this.isSilent) return Promise.withResolvers<RateGrant[]>().promise
      const grants = await limits.lease(orders, machines)
      this.answered++
      return grants
    }
    const onFailure = (error: unknown) => void this.failures.push(error)
    const { leaseSlots } = limits
    const parts = { limits: { lease, leaseSlots }, local, running, clock, onFailure, maxWaitMs }
    this.rates = new Rates({ ...parts, node: crypto.randomUUID() })
  }

  async passes(request: RateRequest, of = key): Promise<boolean> {
    return (await this.rejection(request, of)) === undefined
  }

  async rejection(request: RateRequest, of = key): Promise<GatewayError | undefined> {
    try {
      await this.rates.check(of, request)
      return undefined
    } catch (error) {
      if (error instanceof GatewayError) return error
      throw error
    }
  }

  /** Whether a request passes without waiting. */
  passesAtOnce(request: RateRequest, of = key): boolean {
    return !(this.rates.check(of, request) instanceof Promise)
  }
}

function members(count: number): Member[] {
  return Array.from({ length: count }, () => {
    const member = new Member()
    member.rates.setMachines(count)
    return member
  })
}

/** Sends requests at the same time, distributed evenly over the members. Returns the number of requests that pass. */
async function burst(all: readonly Member[], count: number, request: RateRequest) {
  const passed = await Promise.all(
    Array.from({ length: count }, (_, index) => all[index % all.length]?.passes(request)),
  )
  return passed.filter(Boolean).length
}

const perMinute = (requestsPerMinute: number) => ({ requestsPerMinute, tokens: 0 })

describe("rate limits of a single machine", () => {
  test("never cause a database call", async () => {
    const lone = new Member()
    lone.rates.setMachines(1)
    const request = { requestsPerMinute: 100, tokensPerMinute: 100_000, tokens: 50 }
    for (let count = 0; count < 100; count++) expect(lone.passesAtOnce(request)).toBe(true)
    lone.rates.settle(key, { reserved: 50, used: 0, heldMs: 0 })
    lone.rates.setMachines(1)
    expect(() => lone.rates.check(key, request)).toThrow("100 per minute")
    expect(lone.orders).toEqual([])
  })

  test("remain counted when other machines join", async () => {
    const [one, other] = [new Member(), new Member()]
    one.rates.setMachines(1)
    for (let count = 0; count < 40; count++) one.passesAtOnce(perMinute(50))
    for (const member of [one, other]) member.rates.setMachines(2)
    expect(await one.passes(perMinute(50))).toBe(true)
    expect(await burst([one, other], 40, perMinute(50))).toBeWithin(8, 11)
  })

  test("cause no database call a minute after the other machines have left", async () => {
    const [one] = members(2)
    expect(await one?.passes(perMinute(5))).toBe(true)
    one?.rates.setMachines(1)
    expect(await one?.passes(perMinute(5))).toBe(true)
    const asked = one?.orders.length ?? 0
    expect(asked).toBeGreaterThan(0)
    if (one) one.skew = 61_000
    one?.rates.setMachines(1)
    expect(one?.passesAtOnce(perMinute(5))).toBe(true)
    expect(one?.orders.length).toBe(asked)
  })
})

describe("rate limits of several machines", () => {
  test.each([1, 5, 60, 1_000])("admit %i together under any load", async (limit) => {
    const all = members(3)
    const begun = performance.now()
    let passed = 0
    for (let rounds = 0; rounds < 4; rounds++) {
      passed += await burst(all, 2 * limit + 6, perMinute(limit))
    }
    const drained = ((performance.now() - begun) * limit) / 60_000
    // Some requests that were leased in advance may be unused on each machine, so the sum can be lower than the limit
    // but never higher.
    expect(passed).toBeGreaterThanOrEqual(Math.min(limit, Math.floor(limit * (1 - 3 / 16))))
    expect(passed).toBeLessThanOrEqual(limit + Math.ceil(drained))
  })

  test("belong completely to a machine if no other machine is in use", async () => {
    const [busy] = members(8)
    expect(busy && (await burst([busy], 200, perMinute(100)))).toBeWithin(98, 102)
  })

  test("wait for the database once, and are then leased in advance", async () => {
    const [one] = members(2)
    if (!one) throw new Error("none")
    const request = { requestsPerMinute: 6_000, tokensPerMinute: 6_000_000, tokens: 100 }
    expect(await one.passes(request)).toBe(true)
    for (let count = 0; count < 300; count++) {
      expect(one.passesAtOnce(request)).toBe(true)
      if (count % 20 === 19) await until(() => one.answered === one.orders.length)
    }
    expect(one.orders.length).toBeWithin(2, 17)
  })

  test("cause repeated rejections without another database call", async () => {
    const [one] = members(2)
    if (!one) throw new Error("none")
    expect(await one.passes(perMinute(1))).toBe(true)
    const rejection = await one.rejection(perMinute(1))
    expect(rejection?.kind).toBe("request_rate_exceeded")
    expect(rejection?.details.retryAfter).toBeWithin(58, 61)
    expect(rejection?.details.headers).toMatchObject({ "x-ratelimit-remaining-requests": "0" })
    const asked = one.orders.length
    for (let count = 0; count < 1_000; count++) {
      expect(() => one.rates.check(key, perMinute(1))).toThrow("1 per minute")
    }
    expect(one.orders.length).toBe(asked)
  })

  test("have the same remaining amount on each machine", async () => {
    const [one, other] = members(2)
    await burst(
      [one, other].filter((member) => member !== undefined),
      6,
      perMinute(10),
    )
    const headers = await one?.rates.check(key, perMinute(10))
    expect(headers).toMatchObject({
      "x-ratelimit-limit-requests": "10",
      "x-ratelimit-remaining-requests": "3",
    })
  })

  test("count used tokens, and return unused tokens", async () => {
    const [one, other] = members(2)
    if (!one || !other) throw new Error("none")
    const tokens = (count: number) => ({ tokensPerMinute: 1_000, tokens: count })
    expect(await one.passes(tokens(900))).toBe(true)
    expect((await other.rejection(tokens(400)))?.kind).toBe("token_rate_exceeded")
    one.rates.settle(key, { reserved: 900, used: 100, heldMs: 0 })
    await until(() => other.passes(tokens(400)))
    one.rates.settle(key, { reserved: 0, used: 5_000, heldMs: 0 })
    await until(async () => !(await other.passes(tokens(50))))
    expect((await other.rejection(tokens(50)))?.details.retryAfter).toBeGreaterThan(200)
  })

  test("admit one request above the limit if nothing is in use", async () => {
    const [one, other] = members(2)
    const large = { tokensPerMinute: 1_000, tokens: 5_000 }
    expect(await one?.passes(large)).toBe(true)
    const rejection = await other?.rejection(large)
    expect(rejection?.message).toContain("which does not fit next to other requests")
    expect(rejection?.details.retryAfter).toBeWithin(290, 301)
  })

  test("follow a changed limit immediately", async () => {
    const [one, other] = members(2)
    if (!one || !other) throw new Error("none")
    expect(await burst([one, other], 100, perMinute(1_000_000))).toBe(100)
    expect(await burst([one, other], 20, perMinute(5))).toBe(0)
    expect(await burst([one, other], 20, perMinute(2_000_000))).toBe(20)
  })

  test("require few steps to lease rates for thousands of keys", async () => {
    const [one] = members(2)
    if (!one) throw new Error("none")
    const keys = Array.from({ length: 3_000 }, (_, index) => `${key}-${index}`)
    const passed = await Promise.all(keys.map((name) => one.passes(perMinute(2), name)))
    expect(passed.every(Boolean)).toBe(true)
    expect(one.orders.length).toBeLessThan(20)
  })

  test("regain the unused rates of a dead machine immediately, and its used rates gradually", async () => {
    const [dead, ...rest] = members(3)
    // The requests of a dead member that were leased in advance are available as well.
    expect(dead && (await burst([dead], 30, perMinute(60)))).toBe(30)
    const passed = await burst(rest, 100, perMinute(60))
    expect(passed).toBeWithin(24, 32)
  })
})

describe("rate limits without an available database", () => {
  test("leave each machine its part, and count its usage afterwards", async () => {
    const all = members(2)
    for (const member of all) member.isAway = true
    expect(await burst(all, 40, perMinute(10))).toBe(10)
    const [one, other] = all
    expect(one?.failures.length).toBe(1)
    for (const member of all) {
      member.isAway = false
      member.skew = 1_100
    }
    // The member leases again, and finds that the limit is used up.
    await until(async () => !(await one?.passes(perMinute(10))))
    expect(await other?.passes(perMinute(10))).toBe(false)
    expect(one?.orders.length).toBeGreaterThan(1)
  })

  test("keep earlier usage counted, and admit no more requests after repeated attempts", async () => {
    const all = members(2)
    const [one, other] = all
    if (!one || !other) throw new Error("none")
    expect(await burst(all, 40, perMinute(40))).toBeWithin(36, 41)
    for (const member of all) member.isAway = true
    let passed = 0
    for (let attempt = 0; attempt < 5; attempt++) {
      passed += await burst(all, 40, perMinute(40))
      for (const member of all) member.skew += 1_100
    }
    // Fewer than four requests drain, some were leased in advance, and the last lease had not reached every node.
    expect(passed).toBeLessThan(17)
    expect(one.orders.length).toBeGreaterThan(3)
    for (const member of all) member.isAway = false
    await burst(all, 2, perMinute(40))
    // The usage since then is counted once. If it were counted twice, the wait would be longer than a minute.
    expect((await one.rejection(perMinute(40)))?.details.retryAfter).toBeWithin(2, 30)
  })

  test("delay the first requests by at most a second, and do not delay later requests", async () => {
    const one = new Member(database.store.rateLimits, USUAL_WAIT_MS)
    one.rates.setMachines(2)
    one.isSilent = true
    const begun = performance.now()
    let passed = 0
    const taken = await servedTime(async () => {
      passed = await burst([one], 10, perMinute(10))
    })
    expect(performance.now() - begun).toBeGreaterThanOrEqual(900)
    expect(taken).toBeLessThan(3_000)
    expect(passed).toBe(5)
    expect(() => one.rates.check(key, perMinute(10))).toThrow("10 per minute")
    expect(one.passesAtOnce(perMinute(10), "another")).toBe(true)
    expect(one.orders.length).toBe(1)
  })

  test("keep existing leases valid", async () => {
    const [one] = members(2)
    if (!one) throw new Error("none")
    expect(await one.passes(perMinute(640))).toBe(true)
    await until(() => one.orders.length === 1)
    one.isAway = true
    for (let count = 0; count < 10; count++) expect(one.passesAtOnce(perMinute(640))).toBe(true)
  })
})
