import { describe, expect, spyOn, test } from "bun:test"
import type { Payer } from "../../src/accounting/payer.ts"
import type { Hold } from "../../src/ledger/hold.ts"
import { MAX_GROWTH_WAIT_MS } from "../../src/ledger/leased-balances.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import type { Store } from "../../src/store/store.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TestDatabase, payerOf } from "../store/test-database.ts"

/** Interval in which a node polls for changes. */
const POLL_INTERVAL_MS = 100

/**
 * Polls for ledgers, as their nodes do, until it is disposed of. Meanwhile, an interval passes whenever each node has
 * polled. Requests on a busy machine therefore wait for as many polls as on an idle one.
 */
class Polling implements AsyncDisposable {
  readonly #polls: number[] = []
  readonly #running: Promise<void>[] = []
  readonly #clock = spyOn(performance, "now")
  #stopped = false

  constructor() {
    const begun = performance.now()
    this.#clock.mockImplementation(() => begun + POLL_INTERVAL_MS * this.#completed)
  }

  get #completed(): number {
    return this.#polls.length === 0 ? 0 : Math.min(...this.#polls)
  }

  add(store: Store, node: string, ledger: Ledger): void {
    const index = this.#polls.push(this.#completed) - 1
    this.#running.push(this.#poll(index, store, node, ledger))
  }

  async #poll(index: number, store: Store, node: string, ledger: Ledger): Promise<void> {
    while (!this.#stopped) {
      const changes = await store.nodes.poll(node, null)
      await ledger.tick(changes.recalls)
      await Bun.sleep(POLL_INTERVAL_MS)
      this.#polls[index] = (this.#polls[index] ?? 0) + 1
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
    this.#clock.mockRestore()
  }
}

/** Tries to hold credits like a request: immediately, or after enough credits are leased. */
async function hold(
  database: TestDatabase,
  ledger: Ledger,
  payer: Payer,
  amount: bigint,
): Promise<Hold | undefined> {
  const order = database.order(payer, amount)
  const place = (): Hold | undefined => ledger.tryHold(order)
  return place() ?? (await ledger.extend(payer, amount, place))
}

/** A hold, and the ledger that must end it. */
interface Placed {
  readonly ledger: Ledger
  readonly hold: Hold
}

async function holdMany(
  database: TestDatabase,
  ledgers: readonly Ledger[],
  payer: Payer,
  attempts: number,
): Promise<Placed[]> {
  const tries = Array.from({ length: attempts }, async (_, index) => {
    const ledger = ledgers[index % ledgers.length]!
    const placed = await hold(database, ledger, payer, 10n)
    return placed ? [{ ledger, hold: placed }] : []
  })
  return (await Promise.all(tries)).flat()
}

describe("200 simultaneous holds on credits for exactly 50", () => {
  test("succeed exactly 50 times on one node", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 500n)
    const ledger = await database.ledger("node", await database.another())
    expect(await holdMany(database, [ledger], payer, 200)).toHaveLength(50)
    expect(ledger.available(payer)).toBe(0n)
  })

  for (const nodes of [2, 3]) {
    test(`succeed exactly 50 times on ${nodes} nodes together, repeatedly`, async () => {
      await using database = await TestDatabase.open()
      await using polling = new Polling()
      const payer = await database.account("account", 500n)
      const ledgers: Ledger[] = []
      for (let index = 0; index < nodes; index++) {
        const store = await database.another()
        const ledger = await database.ledger(`node ${index}`, store)
        polling.add(store, `node ${index}`, ledger)
        ledgers.push(ledger)
      }
      for (let round = 0; round < 2; round++) {
        const placed = await holdMany(database, ledgers, payer, 200)
        expect(placed).toHaveLength(50)
        await Promise.all(placed.map(({ ledger, hold }) => ledger.settle(hold, 10n, () => "{}")))
        expect(await database.balanceOf("account")).toBe(0n)
        await database.grant("account", 500n)
      }
      expect((await verifyLedgers(database.store)).problems).toEqual([])
      expect(database.alarms.writtenOffs).toEqual([])
    })
  }

  test.each([
    ["budget", "thrifty"],
    ["daily budget", "thrifty@2026-11-21"],
    ["monthly budget", "thrifty@2026-11"],
  ])(
    "succeed exactly as often as a key's %s allows, counted on two nodes together",
    async (_name, owner) => {
      await using database = await TestDatabase.open()
      await using polling = new Polling()
      await database.account("account", 10_000n)
      await database.key("thrifty", "account", 505n, { dailyBudget: 505n, monthlyBudget: 505n })
      const payer = payerOf("account", "thrifty", [owner])
      const ledgers: Ledger[] = []
      for (const node of ["left", "right"]) {
        const store = await database.another()
        const ledger = await database.ledger(node, store)
        polling.add(store, node, ledger)
        ledgers.push(ledger)
      }
      expect(await holdMany(database, ledgers, payer, 200)).toHaveLength(50)
    },
  )
})

describe("an idle lease of another node", () => {
  test("can be recalled by a node that requires the credits", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const rich = await database.ledger("rich")
    await rich.lease(payer, 100n)
    const running = await hold(database, rich, payer, 30n)
    const poor = await database.ledger("poor")
    await using polling = new Polling()
    polling.add(database.store, "rich", rich)
    polling.add(database.store, "poor", poor)
    expect(await hold(database, poor, payer, 71n)).toBeUndefined()
    expect(await hold(database, poor, payer, 70n)).toBeDefined()
    expect((await rich.settle(running!, 30n, () => "{}")).charged).toBe(30n)
  })

  test("goes to only one of two requests if it cannot cover both", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const left = await database.ledger("left")
    const right = await database.ledger("right")
    await left.lease(payer, 50n)
    await right.lease(payer, 50n)
    expect(left.available(payer) + right.available(payer)).toBe(100n)
    await using polling = new Polling()
    polling.add(database.store, "left", left)
    polling.add(database.store, "right", right)
    const holds = await Promise.all([
      hold(database, left, payer, 80n),
      hold(database, right, payer, 80n),
    ])
    expect(holds.filter((one) => one !== undefined)).toHaveLength(1)
  })

  test("does not delay small requests while a large request waits", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const small = await database.ledger("small")
    const large = await database.ledger("large")
    await using polling = new Polling()
    polling.add(database.store, "small", small)
    polling.add(database.store, "large", large)
    const asking = hold(database, large, payer, 101n)
    for (let index = 0; index < 20; index++) {
      const one = await hold(database, small, payer, 1n)
      expect(one).toBeDefined()
      await small.settle(one!, 1n, () => "{}")
    }
    expect(await asking).toBeUndefined()
  })

  test("remains leased if its return fails, and the next recall returns it", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    let isBroken = true
    const store: Store = {
      ...database.store,
      leases: {
        ...database.store.leases,
        giveBack: (...parameters) =>
          isBroken
            ? Promise.reject(new Error("database is locked"))
            : database.store.leases.giveBack(...parameters),
      },
    }
    const ledger = await database.ledger("node", store)
    await ledger.lease(payer, 60n)
    await expect(ledger.tick(["account"])).rejects.toThrow("locked")
    expect(ledger.available(payer)).toBe(100n)
    isBroken = false
    await ledger.tick(["account"])
    expect(ledger.available(payer)).toBe(0n)
    expect((await database.store.accounts.find("account"))?.leased).toBe(0n)
  })

  test("stops being recalled when no other node requires its credits", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const rich = await database.ledger("rich")
    await rich.lease(payer, 100n)
    await database.ledger("poor")
    await database.store.leases.take({ node: "poor", owner: "account", wanted: 5n, min: 5n })
    expect((await database.store.nodes.poll("rich", null)).recalls).toEqual(["account"])
    expect((await database.store.nodes.poll("poor", null)).recalls).toEqual([])
    await database.store.nodes.remove("poor", 1)
    expect((await database.store.nodes.poll("rich", null)).recalls).toEqual([])
  })
})

describe("a settlement whose cost exceeds its hold", () => {
  test("charges its full cost even while this node returns the missing credits", async () => {
    await using database = await TestDatabase.open()
    await using polling = new Polling()
    const payer = await database.account("account", 100n)
    const { leases } = database.store
    const asked = Promise.withResolvers<void>()
    let isReturning = false
    const store: Store = {
      ...database.store,
      leases: {
        ...leases,
        async giveBack(...parameters) {
          isReturning = true
          await asked.promise
          await leases.giveBack(...parameters)
        },
        async take(request) {
          const grant = await leases.take(request)
          if (isReturning) asked.resolve()
          return grant
        },
      },
    }
    const ledger = await database.ledger("node", store)
    polling.add(database.store, "another", await database.ledger("another"))
    await ledger.lease(payer, 100n)
    const running = await hold(database, ledger, payer, 60n)
    const returning = ledger.tick(["account"])
    expect((await ledger.settle(running!, 100n, () => "{}")).charged).toBe(100n)
    await returning
    expect(database.alarms.writtenOffs).toEqual([])
  })

  test("waits longer than a new request for the idle lease of another node", async () => {
    await using database = await TestDatabase.open()
    await using polling = new Polling()
    const payer = await database.account("account", 100n)
    const rich = await database.ledger("rich")
    let returnsAt = Infinity
    const { leases } = database.store
    const store: Store = {
      ...database.store,
      leases: {
        ...leases,
        async take(request) {
          if (performance.now() >= returnsAt) await rich.tick(["account"])
          return leases.take(request)
        },
      },
    }
    const poor = await database.ledger("poor", store)
    const running = await hold(database, poor, payer, 60n)
    await poor.tick(["account"])
    await rich.lease(payer, 40n)
    polling.add(database.store, "poor", poor)
    expect(await hold(database, poor, payer, 40n)).toBeUndefined()
    returnsAt = performance.now() + 700
    expect((await poor.settle(running!, 100n, () => "{}")).charged).toBe(100n)
    expect(database.alarms.writtenOffs).toEqual([])
  })

  test("charges only its hold if the database does not answer a lease request in time", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const asked = Promise.withResolvers<void>()
    const { leases } = database.store
    let isStalled = false
    const store: Store = {
      ...database.store,
      leases: {
        ...leases,
        async take(request) {
          if (isStalled) await asked.promise
          return leases.take(request)
        },
      },
    }
    const ledger = await database.ledger("node", store)
    await database.ledger("another")
    const running = await hold(database, ledger, payer, 60n)
    await ledger.tick(["account"])
    isStalled = true
    using _ = growthWaitEnded()
    expect((await ledger.settle(running!, 100n, () => "{}")).charged).toBe(60n)
    expect(database.alarms.writtenOffs).toMatchObject([{ amount: 40n, reason: "account_empty" }])
    asked.resolve()
    expect(await hold(database, ledger, payer, 40n)).toBeDefined()
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })
})

/** Ends the waits of settlements for credits as soon as they begin. */
function growthWaitEnded(): Disposable {
  const { setTimeout: set } = globalThis
  const timers = spyOn(globalThis, "setTimeout")
  timers.mockImplementation(((work: () => void, ms?: number) =>
    set(work, ms === MAX_GROWTH_WAIT_MS ? 0 : ms)) as typeof setTimeout)
  return timers
}

test("a request ends its wait in time although other requests use each leased credit", async () => {
  await using database = await TestDatabase.open()
  const payer = await database.account("account", 1_000n)
  const ledger = await database.ledger("node")
  await database.ledger("another")
  let attempts = 0
  const attempt = (): undefined => {
    attempts++
    ledger.tryHold(database.order(payer, ledger.available(payer)))
  }
  expect(await ledger.extend(payer, 40n, attempt, -1)).toBeUndefined()
  expect(attempts).toBeLessThan(5)
})

test("waiting requests share queries of the store", async () => {
  await using database = await TestDatabase.open()
  const payer = await database.account("account", 500n)
  let orders = 0
  const store: Store = {
    ...database.store,
    leases: {
      ...database.store.leases,
      take: (request) => {
        orders++
        return database.store.leases.take(request)
      },
    },
  }
  const ledger = await database.ledger("node", store)
  await database.ledger("another")
  expect(await holdMany(database, [ledger], payer, 200)).toHaveLength(50)
  expect(orders).toBeLessThan(5)
})
