import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { LeasedSlots } from "../../src/limits/leased-slots.ts"
import { RunningRequests } from "../../src/limits/running-requests.ts"
import { MachineClock } from "../../src/machine/machine-clock.ts"
import { Presence } from "../../src/machine/presence.ts"
import { SharedMemory } from "../../src/machine/shared-memory.ts"
import type { SlotOrder } from "../../src/store/rate-limits.ts"
import { ENGINES } from "../store/engines.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

/** A process on its own machine that counts its calls to the database. */
class Member {
  readonly id = crypto.randomUUID()
  readonly slots: LeasedSlots
  readonly running: RunningRequests
  readonly leaves: (() => void)[] = []
  readonly failures: unknown[] = []
  asked = 0
  isAway = false
  isAnswered = false

  private constructor(database: TestDatabase) {
    const memory = SharedMemory.own()
    this.running = new RunningRequests(memory, new Presence(memory, new MachineClock()))
    this.slots = new LeasedSlots({
      limits: {
        leaseSlots: async (order: SlotOrder) => {
          this.asked++
          if (this.isAway) throw new Error("away")
          const slots = await database.store.rateLimits.leaseSlots(order)
          this.isAnswered = true
          return slots
        },
      },
      running: this.running,
      node: this.id,
      clock: () => performance.now(),
      onFailure: (error) => this.failures.push(error),
    })
  }

  static async on(database: TestDatabase, machines: number): Promise<Member> {
    const member = new Member(database)
    member.slots.machines = machines
    const node = { id: member.id, process: 1, host: "host", machine: null, beatAt: Date.now() }
    await database.store.nodes.join(node)
    return member
  }

  async enters(key: string, limit: number): Promise<boolean> {
    try {
      this.leaves.push(await this.slots.enter(key, limit))
      return true
    } catch {
      return false
    }
  }

  leaveAll(): void {
    for (const leave of this.leaves.splice(0)) leave()
  }
}

async function membersOn(database: TestDatabase, count: number): Promise<Member[]> {
  return await Promise.all(Array.from({ length: count }, () => Member.on(database, count)))
}

/**
 * Sends requests at the same time, distributed evenly over the members. Returns the number of requests that may run.
 */
async function burst(all: readonly Member[], count: number, key: string, limit: number) {
  const entered = await Promise.all(
    Array.from({ length: count }, (_, index) => all[index % all.length]?.enters(key, limit)),
  )
  return entered.filter(Boolean).length
}

/**
 * Starts requests until the given number of them runs. For a moment after a rejection, further requests are rejected
 * without a query.
 */
async function fill(all: readonly Member[], count: number, key: string, limit: number) {
  let entered = 0
  await until(async () => (entered += await burst(all, all.length, key, limit)) >= count)
  expect(entered).toBe(count)
}

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))(
  "leased concurrency slots of %s",
  (_, engine) => {
    let database: TestDatabase
    let keys = 0
    beforeAll(async () => {
      database = await TestDatabase.on(engine)
    })
    afterAll(() => database[Symbol.asyncDispose]())

    test.each([1, 2, 5, 17])(
      "admit exactly %i requests on three machines together if this is the limit",
      async (limit) => {
        const all = await membersOn(database, 3)
        const key = `key${++keys}`
        expect(await burst(all, 60, key, limit)).toBe(limit)
        expect(await burst(all, 9, key, limit)).toBe(0)
        for (const member of all) member.leaveAll()
        await fill(all, limit, key, limit)
        expect(await burst(all, 9, key, limit)).toBe(0)
      },
    )

    test("can be used by one machine if another machine has leased them but does not use them", async () => {
      const [one, other] = await membersOn(database, 2)
      if (!one || !other) throw new Error("no members")
      const key = `key${++keys}`
      expect(await burst([one], 5, key, 5)).toBe(5)
      one.leaveAll()
      await fill([other], 5, key, 5)
      expect(await burst([one], 1, key, 5)).toBe(0)
    })

    test("become free when a node is removed", async () => {
      const [one, other] = await membersOn(database, 2)
      if (!one || !other) throw new Error("no members")
      const key = `key${++keys}`
      expect(await burst([one], 5, key, 5)).toBe(5)
      expect(await burst([other], 5, key, 5)).toBe(0)
      await database.store.nodes.remove(one.id, Date.now(), 0)
      await until(async () => (await burst([other], 1, key, 5)) === 1)
    })

    test("follow a lowered or raised limit at the next request", async () => {
      const all = await membersOn(database, 2)
      const key = `key${++keys}`
      expect(await burst(all, 10, key, 4)).toBe(4)
      expect(await burst(all, 4, key, 2)).toBe(0)
      await fill(all, 3, key, 7)
      expect(await burst(all, 9, key, 7)).toBe(0)
    })

    test("include requests that ran before other machines joined", async () => {
      const [one, other] = await membersOn(database, 2)
      if (!one || !other) throw new Error("no members")
      const key = `key${++keys}`
      const leaves = [1, 2, 3].map(() => one.running.enter(key, 3))
      one.slots.begin()
      await until(() => one.isAnswered)
      expect(await burst([other], 6, key, 3)).toBe(0)
      for (const leave of leaves) leave()
      await fill([other], 3, key, 3)
    })

    test("can be returned to the database after an outage", async () => {
      const [one, other] = await membersOn(database, 2)
      if (!one || !other) throw new Error("no members")
      const key = `key${++keys}`
      expect(await burst([one], 5, key, 5)).toBe(5)
      one.isAway = true
      one.leaveAll()
      await until(() => one.failures.length > 0)
      expect(await burst([other], 1, key, 5)).toBe(0)
      one.isAway = false
      await fill([other], 5, key, 5)
    })

    test("belong to the machines in equal parts while the database is unavailable", async () => {
      const all = await membersOn(database, 3)
      const key = `key${++keys}`
      for (const member of all) member.isAway = true
      expect(await burst(all, 60, key, 9)).toBe(9)
      expect(all.every(({ failures }) => failures.length === 1)).toBe(true)
    })
  },
)

test("a slot is not used while it is being returned", async () => {
  const memory = SharedMemory.own()
  const gate = Promise.withResolvers<void>()
  const orders: SlotOrder[] = []
  const slots = new LeasedSlots({
    limits: {
      leaseSlots: async (order) => {
        orders.push(order)
        if (order.wanted === 0) await gate.promise
        return order.wanted
      },
    },
    running: new RunningRequests(memory, new Presence(memory, new MachineClock())),
    node: "one",
    clock: () => performance.now(),
    onFailure: (error) => expect(error).toBeUndefined(),
  })
  const leave = await slots.enter("key", 1)
  leave()
  await until(() => orders.length === 2)
  let hasEntered = false
  const entering = Promise.resolve(slots.enter("key", 1)).then(() => (hasEntered = true))
  await Bun.sleep(0)
  expect(hasEntered).toBe(false)
  gate.resolve()
  expect(await entering).toBe(true)
  expect(orders.map(({ wanted }) => wanted)).toEqual([1, 0, 1])
})

test("requests that arrive during a database call lease their slots immediately after that call", async () => {
  const memory = SharedMemory.own()
  const first = Promise.withResolvers<void>()
  const orders: SlotOrder[] = []
  let now = 0
  const slots = new LeasedSlots({
    limits: {
      leaseSlots: async (order) => {
        orders.push(order)
        if (orders.length === 1) await first.promise
        return order.wanted
      },
    },
    running: new RunningRequests(memory, new Presence(memory, new MachineClock())),
    node: "one",
    clock: () => now,
    onFailure: (error) => expect(error).toBeUndefined(),
  })
  const entering = [1, 2, 3].map(() => Promise.resolve(slots.enter("key", 9)))
  // The time is so late that every pause has ended.
  now = 1_000
  first.resolve()
  const leaves = await Promise.all(entering)
  expect(orders.map(({ wanted }) => wanted)).toEqual([1, 3])
  for (const leave of leaves) leave()
})
