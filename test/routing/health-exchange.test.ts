import { afterEach, beforeEach, expect, test } from "bun:test"
import { Health } from "../../src/routing/health.ts"
import { HealthExchange } from "../../src/routing/health-exchange.ts"
import type { Store } from "../../src/store/store.ts"
import { ENGINES } from "../store/engines.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const ID = "mine/large"
const POSTGRESQL = ENGINES.filter(({ name }) => name === "PostgreSQL")

let now = 0
let database: TestDatabase
beforeEach(async () => {
  now = 1_000_000
  const [engine] = POSTGRESQL
  if (!engine) throw new Error("no PostgreSQL")
  database = await TestDatabase.on(engine)
})
afterEach(() => database[Symbol.asyncDispose]())

/** A node on a separate machine. */
class Member {
  readonly health = new Health(() => now)
  readonly failures: unknown[] = []
  readonly #store: Store
  readonly #id: string
  readonly #exchange: HealthExchange
  #revision = 0

  private constructor(store: Store, id: string) {
    this.#store = store
    this.#id = id
    const onFailure = (error: unknown) => void this.failures.push(error)
    const reports = store.deploymentReports
    this.#exchange = new HealthExchange({ health: this.health, reports, node: id, onFailure })
  }

  static async join(id: string, store = database.store): Promise<Member> {
    await store.nodes.join({ id, process: 1, host: "test", beatAt: 1, machine: null, memory: id })
    return new Member(store, id)
  }

  /**
   * Polls for changes.
   * @returns whether there were any.
   */
  async poll(): Promise<boolean> {
    const changes = await this.#store.nodes.poll(this.#id, null)
    await this.#exchange.update(changes)
    const isNew = changes.deploymentRevision > this.#revision
    this.#revision = changes.deploymentRevision
    return isNew
  }

  break(times: number): void {
    for (let count = 0; count < times; count++) this.health.broke(ID)
  }
}

async function twoMembers(): Promise<[Member, Member]> {
  const [one, other] = [await Member.join("one"), await Member.join("other")]
  await Promise.all([one.poll(), other.poll()])
  return [one, other]
}

test("a failing deployment is called once by another node, whose failure opens its own circuit", async () => {
  const [one, other] = await twoMembers()
  one.break(3)
  await until(() => other.poll())
  expect(other.health.isHealthy(ID)).toBe(true)
  other.health.attempted(ID)
  expect(other.health.isHealthy(ID)).toBe(false)
  other.break(1)
  now += 1_500
  expect(other.health.isHealthy(ID)).toBe(false)
})

test("a node with a broken network does not open the circuits of other nodes", async () => {
  const [broken, sound] = await twoMembers()
  sound.health.succeeded(ID)
  now += 60_000
  broken.break(3)
  now += 60_000
  sound.health.succeeded(ID)
  await until(() => sound.poll())
  expect(sound.health.areCircuitsClosed).toBe(true)

  const idle = await Member.join("idle")
  await idle.poll()
  idle.health.attempted(ID)
  idle.health.succeeded(ID)
  expect(idle.health.areCircuitsClosed).toBe(true)
  // The idle node does not report this success, because the broken node would then try the deployment repeatedly.
  await Promise.all([broken.poll(), sound.poll()])
  expect(broken.health.isHealthy(ID)).toBe(true)
  broken.break(1)
  expect(broken.health.isHealthy(ID)).toBe(false)
})

test("a vendor's retry delay applies to all nodes", async () => {
  const [one, other] = await twoMembers()
  other.health.succeeded(ID)
  one.health.overloaded(ID, 30)
  one.health.rejected("mine/unpaid")
  await until(async () => {
    await other.poll()
    return !other.health.isHealthy(ID) && !other.health.isHealthy("mine/unpaid")
  })
  now += 28_000
  expect(other.health.isHealthy(ID)).toBe(false)
  now += 2_001
  expect(other.health.isHealthy(ID)).toBe(true)
  expect(other.health.isHealthy("mine/unpaid")).toBe(false)
})

test("a recovered deployment is called by the other nodes immediately", async () => {
  const [one, other] = await twoMembers()
  for (const member of [one, other]) {
    member.break(3)
    // Each failed trial doubles the cooldown.
    for (let trial = 0; trial < 6; trial++) {
      now += 60_000
      member.break(1)
    }
  }
  await Promise.all([one.poll(), other.poll()])
  expect(other.health.isHealthy(ID)).toBe(false)
  one.health.succeeded(ID)
  await until(async () => {
    await other.poll()
    return other.health.isHealthy(ID)
  })
})

test("a single node does not exchange health reports, even if it has several processes", async () => {
  const calls: string[] = []
  const { store } = database
  const counted: Store = {
    ...store,
    deploymentReports: {
      report: async () => void calls.push("report"),
      after: async () => {
        calls.push("after")
        return []
      },
    },
  }
  const lone = await Member.join("lone", counted)
  await store.nodes.join({
    id: "worker",
    process: 2,
    host: "test",
    beatAt: 1,
    machine: null,
    memory: "lone",
  })
  await lone.poll()
  lone.break(3)
  lone.health.overloaded(ID, 5)
  await lone.poll()
  expect(calls).toEqual([])
})

test("a burst of rejections causes one report, and an unavailable database affects only the reports", async () => {
  let reports = 0
  const { store } = database
  const failing: Store = {
    ...store,
    deploymentReports: {
      ...store.deploymentReports,
      report: async () => {
        reports++
        throw new Error("gone")
      },
    },
  }
  const one = await Member.join("one", failing)
  await Member.join("other")
  await one.poll()
  for (let count = 0; count < 1_000; count++) one.health.overloaded(ID, 5)
  await until(() => one.failures.length > 0)
  expect(reports).toBe(1)
  expect(one.health.isHealthy(ID)).toBe(false)
})
