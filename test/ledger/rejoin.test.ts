import { describe, expect, test } from "bun:test"
import { DatabaseWriter } from "../../src/ledger/database-writer.ts"
import { JournalPoster } from "../../src/ledger/journal-poster.ts"
import { JournalWriter } from "../../src/ledger/journal-writer.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import { Node } from "../../src/ledger/node.ts"
import type { SettlementWriter } from "../../src/ledger/settlement-writer.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { openJournal } from "../../src/store/installation-journal.ts"
import { LedgerError } from "../../src/store/ledger-error.ts"
import { FILE_RETRIES } from "../../src/store/retry-policy.ts"
import type { Store } from "../../src/store/store.ts"
import { POSTGRES, SQLITE } from "../store/engines.ts"
import { payerOf, TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const AWAY = new LedgerError("unavailable", "the database is away")
const MODES = ["journal", "database"] as const
type Mode = (typeof MODES)[number]

/** Steps of the database that fail; "lost" steps are performed, but their responses are lost. */
interface Faults {
  post?: "fails"
  giveBack?: "fails"
  join?: "fails" | "lost"
  remove?: "fails" | "lost"
  disk?: "fails"
}

function faulty(store: Store, faults: Faults): Store {
  const { settlements, leases, nodes } = store
  const step = async <T>(name: keyof Faults, perform: () => Promise<T>): Promise<T> => {
    if (faults[name] === "fails") throw AWAY
    const result = await perform()
    if (faults[name] === "lost") throw AWAY
    return result
  }
  return {
    ...store,
    settlements: { ...settlements, post: (...all) => step("post", () => settlements.post(...all)) },
    leases: { ...leases, giveBack: (...all) => step("giveBack", () => leases.giveBack(...all)) },
    nodes: {
      ...nodes,
      join: (...all) => step("join", () => nodes.join(...all)),
      remove: (...all) => step("remove", () => nodes.remove(...all)),
    },
  }
}

/** A process with a node that polls. */
class Member implements AsyncDisposable {
  readonly faults: Faults = {}
  polls = 0
  failures = 0
  readonly #stack = new AsyncDisposableStack()
  readonly #database: TestDatabase
  readonly store: Store
  ledger!: Ledger
  node!: Node

  private constructor(database: TestDatabase) {
    this.#database = database
    this.store = faulty(database.store, this.faults)
  }

  static async open(database: TestDatabase, mode: Mode): Promise<Member> {
    const member = new Member(database)
    const usual = await member.#writer(mode)
    const ledger = new Ledger(member.store, "node", database.alarms, { usual })
    member.ledger = ledger
    const listeners = {
      async onChanges({ recalls }: { recalls: readonly string[] }): Promise<void> {
        member.polls++
        await ledger.tick(recalls)
      },
      mustRejoin: () => ledger.mustRejoin,
      onLeaving: () => ledger.suspend(),
      onRejoined: (id: string) => ledger.rejoin(id),
      onRenewed: (moment: number) => ledger.spendUntil(moment),
      onExpired() {},
      onFailure: () => void member.failures++,
    }
    const options = { leaseTerm: 60_000, pollIntervalMs: 20 }
    member.node = await Node.join(member.store, "node", listeners, options)
    return member
  }

  async #writer(mode: Mode): Promise<SettlementWriter> {
    if (mode === "database") {
      return new DatabaseWriter(this.store, { ...FILE_RETRIES, maxWaitMs: 60_000 })
    }
    const journal = this.#stack.use(await openJournal(this.#database.directory.path))
    const { lines } = journal
    const add: typeof lines.add = async (added) => {
      if (this.faults.disk) throw new Error("the disk is full")
      return lines.add(added)
    }
    const poster = new JournalPoster(this.store, lines, this.#database.alarms)
    return new JournalWriter({
      journal: { ...journal, lines: { ...lines, add } },
      poster,
      isAlive: () => true,
    })
  }

  /** Holds and settles an amount. */
  async charge(account: string, amount: bigint): Promise<bigint> {
    const hold = this.ledger.tryHold(this.#database.order(payerOf(account), amount))
    if (!hold) throw new Error("nothing was held")
    return (await this.ledger.settle(hold, amount, () => "{}")).charged
  }

  /** Returns an idle lease. The database does not confirm it, so the leases are unclear. */
  async loseLease(account: string): Promise<void> {
    this.faults.giveBack = "fails"
    await this.ledger.tick([account]).catch(() => {})
    delete this.faults.giveBack
    expect(this.ledger.hasUnclearLeases).toBe(true)
  }

  async ids(): Promise<string[]> {
    return (await this.store.nodes.list()).map(({ id }) => id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ledger.close()
    await this.node[Symbol.asyncDispose]()
    await this.#stack.disposeAsync()
  }
}

for (const engine of [SQLITE, POSTGRES]) {
  for (const mode of MODES) {
    for (const reason of ["was considered dead", "has unclear leases"]) {
      describe(`${engine.name}: a node that settles to the ${mode} and ${reason}`, () => {
        test("requests no lease under its new id before its earlier charges are posted", async () => {
          await using database = await TestDatabase.on(engine)
          const payer = await database.account("a", 100n)
          await using member = await Member.open(database, mode)
          const { ledger, faults, store, node } = member
          await ledger.lease(payer, 100n)
          faults.post = "fails"
          const charging = member.charge("a", 30n)
          if (mode === "journal") expect(await charging).toBe(30n)
          if (reason === "has unclear leases") await member.loseLease("a")
          else await store.nodes.remove("node", Date.now())
          await until(() => node.id === "node.2")

          let hasLeased = false
          const leasing = ledger.lease(payer, 70n).then((result) => {
            hasLeased = true
            return result
          })
          const { polls } = member
          await until(() => member.polls > polls + 5)
          expect(hasLeased).toBe(false)
          expect(await store.accounts.find("a")).toMatchObject({ balance: 100n, leased: 0n })

          delete faults.post
          expect(await leasing).toBe(true)
          expect(await charging).toBe(30n)
          expect(ledger.available(payer)).toBe(70n)
          expect(await store.accounts.find("a")).toMatchObject({ balance: 70n, leased: 70n })
          expect(database.alarms.writtenOffs).toEqual([])
          expect(await member.ids()).toEqual(["node.2"])
          expect((await verifyLedgers(store)).problems).toEqual([])
        })
      })
    }
  }

  describe(`${engine.name}: a node that rejoins`, () => {
    for (const mode of MODES) {
      test(`leaves its leases unavailable to other nodes until its charges to the ${mode} are posted`, async () => {
        await using database = await TestDatabase.on(engine)
        const payer = await database.account("a", 100n)
        await using member = await Member.open(database, mode)
        const { ledger, faults, node } = member
        await ledger.lease(payer, 100n)
        const other = await database.ledger("other")
        faults.post = "fails"
        const charging = member.charge("a", 100n)
        if (mode === "journal") await charging
        await database.account("b", 10n)
        await ledger.lease(payerOf("b"), 10n)
        await member.loseLease("b")
        await until(async () => (await member.ids()).includes("node.2"))
        expect(node.id).toBe("node")
        expect(await other.lease(payer, 1n)).toBeUndefined()
        delete faults.post
        await until(() => node.id === "node.2")
        expect(await charging).toBe(100n)
        expect(database.alarms.writtenOffs).toEqual([])
        expect(await database.balanceOf("a")).toBe(0n)
      })
    }

    for (const step of ["join", "remove"] as const) {
      for (const fault of ["fails", "lost"] as const) {
        test(`leaves no lease with its old id when the step "${step}" ${fault === "fails" ? fault : "is " + fault}`, async () => {
          await using database = await TestDatabase.on(engine)
          const payer = await database.account("a", 100n)
          await using member = await Member.open(database, "journal")
          const { ledger, faults, store } = member
          await ledger.lease(payer, 100n)
          faults[step] = fault
          await member.loseLease("a")
          await until(() => member.failures > 0)
          delete faults[step]
          await until(async () => (await member.ids()).join() === "node.2", 5_000)
          await ledger.lease(payer, 100n)
          expect(ledger.available(payer)).toBe(100n)
          expect(await store.accounts.find("a")).toMatchObject({ balance: 100n, leased: 100n })
        })
      }
    }

    test("accepts requests again when its full disk has space again", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      await using member = await Member.open(database, "journal")
      const { ledger, faults, store, node } = member
      await ledger.lease(payer, 100n)
      faults.disk = "fails"
      expect(await member.charge("a", 30n).catch(String)).toContain("the disk is full")
      await until(() => node.id === "node.2", 5_000)
      expect(await member.ids()).toEqual(["node.2"])
      expect(ledger.failure).toBeDefined()
      delete faults.disk
      await until(() => ledger.failure === undefined)
      await ledger.lease(payer, 100n)
      expect(await member.charge("a", 30n)).toBe(30n)
      await until(async () => (await database.balanceOf("a")) === 70n)
      expect(await store.accounts.find("a")).toMatchObject({ leased: 70n })
      expect(database.alarms.writtenOffs).toEqual([])
    })

    test("can spend all credits after a charge in a journal was paid from unleased credits", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      await using member = await Member.open(database, "journal")
      const { ledger, store, node } = member
      await ledger.lease(payer, 100n)
      const hold = ledger.tryHold(database.order(payer, 30n))
      if (!hold) throw new Error("nothing was held")
      await store.nodes.remove("node", Date.now())
      await until(() => node.id === "node.2")
      await ledger.settle(hold, 30n, () => "{}")
      await until(async () => (await database.balanceOf("a")) === 70n)
      await ledger.lease(payer, 70n)
      // The database has the charge before the node has the response, which corrects its leases.
      await until(() => ledger.available(payer) === 70n)
      expect(await store.accounts.find("a")).toMatchObject({ leased: 70n })
    })
  })
}
