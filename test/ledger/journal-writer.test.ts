import { describe, expect, test } from "bun:test"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { JournalPoster } from "../../src/ledger/journal-poster.ts"
import { readPosting } from "../../src/ledger/journal-writer.ts"
import { JournalWriter } from "../../src/ledger/journal-writer.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { LedgerError } from "../../src/store/ledger-error.ts"
import { journalState, openJournal } from "../../src/store/installation-journal.ts"
import type { Store } from "../../src/store/store.ts"
import { ENGINES } from "../store/engines.ts"
import { payerOf, RecordedAlarms, TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const AWAY = new LedgerError("unavailable", "the database is away")

/** Returns a store that can be made unavailable for charges. */
function awayAtTimes(store: Store, isAway: () => boolean): Store {
  const { settlements } = store
  const post: Store["settlements"]["post"] = (...parameters) =>
    isAway() ? Promise.reject(AWAY) : settlements.post(...parameters)
  return { ...store, settlements: { ...settlements, post } }
}

/** A process that settles to the journal in a folder. */
class Settling implements AsyncDisposable {
  isAway = false
  readonly alarms = new RecordedAlarms()
  readonly #stack = new AsyncDisposableStack()
  readonly ledger: Ledger
  readonly writer: JournalWriter
  readonly poster: JournalPoster

  private constructor(database: TestDatabase, node: string, journal: Awaited<Opened>) {
    const store = awayAtTimes(database.store, () => this.isAway)
    this.poster = new JournalPoster(store, journal.lines, this.alarms)
    this.#stack.use(journal)
    const isAlive = (other: string): boolean => other === "alive"
    this.writer = new JournalWriter({ journal, poster: this.poster, isAlive })
    this.ledger = new Ledger(store, node, this.alarms, { usual: this.writer })
  }

  static async open(database: TestDatabase, node: string): Promise<Settling> {
    const record = { id: node, process: 1, host: "test", beatAt: Date.now(), machine: null }
    await database.store.nodes.join(record)
    return new Settling(database, node, await openJournal(database.directory.path))
  }

  async charge(database: TestDatabase, account: string, amount: bigint): Promise<void> {
    const payer = payerOf(account)
    await this.ledger.lease(payer, amount)
    const hold = this.ledger.tryHold(database.order(payer, amount))
    if (!hold) throw new Error("nothing was held")
    await this.ledger.settle(hold, amount, () => `{"amount":${amount}}`)
  }

  /** Behaves like a killed process: entries that are not posted yet will not be posted. */
  async die(): Promise<void> {
    await this.poster.close(0)
    await this.#stack.disposeAsync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ledger.close()
    await this.#stack.disposeAsync()
  }
}

type Opened = ReturnType<typeof openJournal>

const waitingIn = (database: TestDatabase) => journalState(database.directory.path)?.waiting

for (const engine of ENGINES) {
  describe(`${engine.name}: a journal`, () => {
    test("keeps charges while the database is unavailable, and posts each once", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 100n)
      await using settling = await Settling.open(database, "node")
      await settling.ledger.lease(payerOf("a"), 100n)
      settling.isAway = true
      await Promise.all([30n, 20n].map((amount) => settling.charge(database, "a", amount)))
      expect(await database.balanceOf("a")).toBe(100n)
      expect(settling.ledger.available(payerOf("a"))).toBe(50n)
      expect(waitingIn(database)).toBe(2)

      settling.isAway = false
      await until(async () => (await database.balanceOf("a")) === 50n)
      expect(await database.store.accounts.find("a")).toMatchObject({ leased: 50n })
      await until(async () => {
        await settling.writer.maintain("node")
        return waitingIn(database) === 0
      })
      expect((await verifyLedgers(database.store)).problems).toEqual([])
    })

    test("keeps charges and leases if its process dies, and the next process posts the charges", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 100n)
      const dead = await Settling.open(database, "dead")
      await dead.ledger.lease(payerOf("a"), 100n)
      dead.isAway = true
      await dead.charge(database, "a", 30n)
      await dead.die()

      await using next = await Settling.open(database, "next")
      await using another = await Settling.open(database, "another")
      await Promise.all([next.writer.recover("next"), another.writer.recover("another")])
      expect(await database.store.accounts.find("a")).toMatchObject({ balance: 70n, leased: 70n })
      await next.writer.maintain("next")
      expect(waitingIn(database)).toBe(0)
      expect(next.alarms.writtenOffs).toEqual([])
    })

    test("remains untouched while its process runs", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 100n)
      await using living = await Settling.open(database, "alive")
      await living.ledger.lease(payerOf("a"), 100n)
      living.isAway = true
      await living.charge(database, "a", 30n)
      await using next = await Settling.open(database, "next")
      await next.writer.recover("next")
      expect(await database.balanceOf("a")).toBe(100n)
      living.isAway = false
    })

    test("posts charges of a lost lease against unleased credits, and writes off the rest", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 100n)
      await using late = await Settling.open(database, "late")
      await late.ledger.lease(payerOf("a"), 100n)
      late.isAway = true
      await late.charge(database, "a", 60n)
      await database.store.nodes.remove("late", Date.now())
      const other = await database.ledger("other")
      await other.lease(payerOf("a"), 90n)
      const hold = other.tryHold(database.order(payerOf("a"), 90n))
      if (!hold) throw new Error("nothing was held")
      await other.settle(hold, 90n, () => "{}")
      await other.tick(["a"])

      late.isAway = false
      await until(() => late.alarms.writtenOffs.length === 1)
      expect(late.alarms.writtenOffs).toMatchObject([{ amount: 50n, reason: "late" }])
      expect(await database.balanceOf("a")).toBe(0n)
      expect((await verifyLedgers(database.store)).problems).toEqual([])
    })

    test("keeps charges that the database rejects, and posts all other charges", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 100n)
      const dead = await Settling.open(database, "dead")
      await dead.ledger.lease(payerOf("a"), 100n)
      dead.isAway = true
      await dead.charge(database, "a", 1n)
      await using journal = await openJournal(database.directory.path)
      const strange = { node: "dead", bodies: ["no posting", unknownAccount()], done: [] }
      await journal.lines.add(strange)
      await dead.charge(database, "a", 2n)
      await dead.die()
      await using next = await Settling.open(database, "next")
      await next.writer.recover("next")
      await until(async () => (await database.balanceOf("a")) === 97n)
      await until(async () => {
        await next.writer.maintain("next")
        return waitingIn(database) === 0
      })
      expect(journalState(database.directory.path)?.rejected).toBe(2)
      expect(next.alarms.failures).toHaveLength(1)
    })
  })
}

function unknownAccount(): string {
  const posting = { request: "req_x", account: "nobody", key: "k", budgets: [], amount: "5" }
  return JSON.stringify({ ...posting, writtenOff: [], at: 1, receipt: "{}" })
}

describe("a journal's file", () => {
  test("accepts no charge after it was deleted", async () => {
    await using database = TestDatabase.direct()
    await database.account("a", 100n)
    const settling = await Settling.open(database, "node")
    await settling.ledger.lease(payerOf("a"), 100n)
    const path = join(database.directory.path, "journal.db")
    expect(existsSync(path)).toBe(true)
    rmSync(path)
    const failure = await settling.charge(database, "a", 30n).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: "missing" })
    expect(settling.ledger.failure).toMatchObject({ code: "missing" })
    await settling.die()
  })

  test("keeps a charge whose rejection cannot be recorded, and posts the following charges", async () => {
    await using database = TestDatabase.direct()
    await database.account("a", 100n)
    await using journal = await openJournal(database.directory.path)
    const alarms = new RecordedAlarms()
    const full = new LedgerError("unavailable", "the disk is full")
    const lines = { ...journal.lines, reject: () => Promise.reject(full) }
    const poster = new JournalPoster(database.store, lines, alarms)
    await database.store.nodes.join({ id: "n", process: 1, host: "t", beatAt: 1, machine: null })
    const waiting = (account: string, line: number) => {
      const posting = { ...readPosting(unknownAccount()), account, request: `req_${line}` }
      return { node: "n", lines: [line], batch: { postings: [posting], opened: [], closed: [] } }
    }
    poster.add(waiting("nobody", 1))
    await until(() => alarms.failures.length === 2)
    expect(alarms.failures[1]).toBe(full)
    poster.add(waiting("a", 2))
    await poster.settled(60_000)
    expect(await database.balanceOf("a")).toBe(95n)
    expect(poster.waiting).toBe(0)
    expect(poster.takeDone()).toEqual([2])
  })

  test("remains unchanged if it is damaged", async () => {
    await using database = TestDatabase.direct()
    writeFileSync(join(database.directory.path, "journal.db"), "no database at all, but some text")
    await expect(openJournal(database.directory.path)).rejects.toMatchObject({ code: "damaged" })
  })

  test("stays absent when its state is read", async () => {
    await using database = TestDatabase.direct()
    expect(journalState(database.directory.path)).toBeNull()
  })
})
