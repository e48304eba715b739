import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { RateLimiter } from "../../src/limits/rate-limiter.ts"
import { RunningRequests } from "../../src/limits/running-requests.ts"
import { MachineClock } from "../../src/machine/machine-clock.ts"
import { Presence } from "../../src/machine/presence.ts"
import { SharedMemory } from "../../src/machine/shared-memory.ts"
import { Rates } from "../../src/limits/rates.ts"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { RateLimits } from "../../src/store/sqlite/rate-limits.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"

const MINUTE = 60_000

interface Passed {
  readonly at: number
  readonly units: number
}

/** Simulates machines whose clocks differ, and a database with its own clock. */
class World {
  readonly passed: Passed[] = []
  now = 1_000_000
  readonly #database = new Database(":memory:", { safeIntegers: true })
  readonly #machines: readonly Rates[]

  constructor(machines: number) {
    migrate(this.#database, LEDGER_SCHEMA)
    const memory = SharedMemory.own()
    const running = new RunningRequests(memory, new Presence(memory, new MachineClock()))
    const limits = new RateLimits(this.#database)
    this.#machines = Array.from({ length: machines }, (_, index) => {
      const clock = () => this.now * (1 + index / 10_000) + index * 7_000
      const local = new RateLimiter(clock)
      const onFailure = (error: unknown) => expect(error).toBeUndefined()
      const lease = async (orders: Parameters<RateLimits["lease"]>[0][]) =>
        orders.map((order) => limits.lease(order, machines, Math.floor(this.now)))
      const leaseSlots = async (order: Parameters<RateLimits["leaseSlots"]>[0]) =>
        limits.leaseSlots(order)
      const node = String(index)
      const parts = { limits: { lease, leaseSlots }, local, running, clock, onFailure }
      const rates = new Rates({ ...parts, node })
      rates.setMachines(machines)
      return rates
    })
  }

  async call(machine: number, times: number, limit: number): Promise<void> {
    const rates = this.#machines[machine % this.#machines.length]
    if (!rates) throw new Error("no machine")
    for (let count = 0; count < times; count++) {
      const isThrough = await Promise.try(() =>
        rates.check("key", { requestsPerMinute: limit, tokens: 0 }),
      ).then(
        () => true,
        () => false,
      )
      if (isThrough) this.passed.push({ at: this.now, units: 1 })
    }
  }

  /** Returns the maximum number of requests that passed in any minute. */
  busiestMinute(): number {
    return this.passed.reduce((max, { at: from }) => {
      const inMinute = this.passed.filter(({ at }) => at >= from && at < from + MINUTE)
      return Math.max(max, inMinute.length)
    }, 0)
  }
}

test("several machines admit no more per minute than one machine plus the leases taken in advance", async () => {
  const step = fc.record({
    wait: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 3_000 }),
      fc.integer({ max: 70_000, min: 0 }),
    ),
    machine: fc.nat(),
    times: fc.integer({ min: 1, max: 60 }),
  })
  let most = 0
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 64 }),
      fc.array(step, { maxLength: 60 }),
      async (machines, limit, steps) => {
        const world = new World(machines + 1)
        for (const { wait, machine, times } of steps) {
          world.now += wait
          await world.call(machine, times, limit)
        }
        const passed = world.busiestMinute()
        const ahead = (machines + 1) * Math.floor(limit / 16)
        expect(passed).toBeLessThanOrEqual(2 * limit + ahead)
        most = Math.max(most, (passed - limit) / limit)
      },
    ),
  )
  // Ensures that the limit holds although many requests pass.
  expect(most).toBeGreaterThan(0.2)
})
