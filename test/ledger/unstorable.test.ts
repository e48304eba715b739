import { describe, expect, test } from "bun:test"
import { MAX_REPORTED_AMOUNT } from "../../src/accounting/maxima.ts"
import { DatabaseWriter } from "../../src/ledger/database-writer.ts"
import { databaseRetries } from "../../src/store/retry-policy.ts"
import { UnstorableError } from "../../src/ledger/divided-batch.ts"
import { JournalPoster } from "../../src/ledger/journal-poster.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { openJournal } from "../../src/store/installation-journal.ts"
import { rejections } from "../../src/store/rejections.ts"
import type { Batch, HoldRecord, Posting } from "../../src/store/settlements.ts"
import type { Store } from "../../src/store/store.ts"
import { ENGINES } from "../store/engines.ts"
import { sampleOf } from "../support/exhaustive.ts"
import { payerOf, RecordedAlarms, TestDatabase } from "../store/test-database.ts"

/** Longer than a test takes: a rejected row must not be repeated before that. */
const TIMEOUT_MS = 600_000
const TOO_LARGE = 2n ** 64n

function posting(request: string, change: Partial<Posting> = {}): Posting {
  const drawn = { account: "account", key: "key", budgets: [], amount: 1n, writtenOff: [] }
  const receipt = JSON.stringify({
    status: "settled",
    model: "m",
    user: "日本",
    cost: "0.000000001",
  })
  return { request, ...drawn, at: Date.now(), receipt, ...change }
}

const unstorable = (request: string): Posting =>
  posting(request, { writtenOff: [{ amount: TOO_LARGE, reason: "usage_beyond_bound" }] })

/** Indexes of rejected settlements in a batch. */
const BAD: readonly (readonly number[])[] = [[0], [39], [7, 8, 31], [...Array(40).keys()]]

/** A batch of 40 settlements, some of which no database can store. */
function batchWith(bad: readonly number[], make: (request: string) => Posting): Batch {
  const postings = Array.from({ length: 40 }, (_, index) => {
    const request = `req_${String(index).padStart(2, "0")}`
    return bad.includes(index) ? make(request) : posting(request)
  })
  return { postings, opened: [], closed: [] }
}

async function leased(database: TestDatabase): Promise<void> {
  await database.account("account", 100n)
  await database.ledger("node")
  await database.store.leases.take({ node: "node", owner: "account", wanted: 100n, min: 1n })
}

/** Rows that an engine cannot store. */
const REASONS: Readonly<Record<string, (request: string) => Posting>> = {
  "a number of more than 64 bits": unstorable,
  "an unknown budget and a number of more than 64 bits": (request) => ({
    ...unstorable(request),
    budgets: ["nobody"],
  }),
}
const POSTGRES_REASONS: typeof REASONS = {
  "a NUL in its receipt": (request) =>
    posting(request, { receipt: JSON.stringify({ status: "settled", model: "a\0b" }) }),
  "a NUL in its labels": (request) =>
    posting(request, { receipt: JSON.stringify({ status: "settled", user: "a\0b" }) }),
}

for (const engine of ENGINES) {
  const reasons = { ...REASONS, ...(engine.name === "PostgreSQL" && POSTGRES_REASONS) }
  describe(`${engine.name}: a settlement with values that the database rejects`, () => {
    for (const [index, [reason, make]] of Object.entries(reasons).entries()) {
      for (const bad of sampleOf(BAD, 2, index)) {
        test(`fails alone and immediately because of ${reason}: ${bad.length} of 40, the first at ${bad[0]}`, async () => {
          await using database = await TestDatabase.on(engine)
          await leased(database)
          const writer = new DatabaseWriter(database.store, databaseRetries(TIMEOUT_MS))
          const batch = batchWith(bad, make)
          const written = await writer.write("node", batch)
          const isBad = (_: unknown, index: number): boolean => bad.includes(index)
          expect(written.map((one) => one instanceof UnstorableError)).toEqual(
            batch.postings.map(isBad),
          )
          expect(writer.failure).toBeUndefined()
          expect(await database.balanceOf("account")).toBe(100n - 40n + BigInt(bad.length))
          for (const [index, { request }] of batch.postings.entries()) {
            const receipt = await database.store.settlements.findReceipt(request)
            expect(receipt?.entry === null).toBe(isBad(null, index))
            const [writeOff] = receipt?.writtenOff ?? []
            if (isBad(null, index)) expect(writeOff?.reason).toBe("unstorable")
            else expect(writeOff).toBeUndefined()
          }
          expect((await verifyLedgers(database.store)).problems).toEqual([])
        })
      }
    }

    test("writes off the charge, up to the largest amount that can be stored", async () => {
      await using database = await TestDatabase.on(engine)
      await leased(database)
      const writer = new DatabaseWriter(database.store, databaseRetries(TIMEOUT_MS))
      const [error] = await writer.write("node", batchWith([0], unstorable))
      const writeOff = { amount: MAX_REPORTED_AMOUNT, reason: "unstorable" }
      expect(error).toMatchObject({ isRecorded: true, writeOff })
      expect(await database.store.settlements.listWriteOffs(undefined, null, 10)).toMatchObject([
        { request: "req_00", account: "account", ...writeOff },
      ])
    })

    test("writes off the charge when the journal is posted, and other charges are posted", async () => {
      await using database = await TestDatabase.on(engine)
      await leased(database)
      await using journal = await openJournal(database.directory.path)
      const alarms = new RecordedAlarms()
      const poster = new JournalPoster(database.store, journal.lines, alarms)
      const batch = batchWith([3, 20], unstorable)
      poster.add({ node: "node", lines: batch.postings.map((_, index) => index + 1), batch })
      await poster.settled(TIMEOUT_MS)
      expect(await database.balanceOf("account")).toBe(62n)
      expect(alarms.writtenOffs.map(({ request }) => request)).toEqual(["req_03", "req_20"])
      expect(alarms.failures).toHaveLength(2)
      expect(poster.takeDone()).toHaveLength(40)
    })

    test("cannot lease an amount of more than 64 bits", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("account", 100n)
      const ledger = await database.ledger("node")
      const leasing = [1, 2].map(() => ledger.lease(payer, TOO_LARGE))
      expect(await Promise.all(leasing)).toEqual([undefined, undefined])
      expect(await ledger.lease(payer, 10n)).toBe(true)
    })

    test("leaves no trace of a hold that cannot be recorded", async () => {
      await using database = await TestDatabase.on(engine)
      await leased(database)
      const writer = new DatabaseWriter(database.store, databaseRetries(TIMEOUT_MS))
      const opened = [1n, TOO_LARGE, 2n].map((amount, index): HoldRecord => {
        const request = `hold_${index}`
        return { request, account: "account", key: "key", amount, at: 1, receipt: "{}" }
      })
      const batch = { ...batchWith([5], unstorable), opened, closed: ["hold_9"] }
      expect(await writer.write("node", batch)).toHaveLength(40)
      const holds = await database.store.settlements.listHolds("account")
      expect(holds.map(({ request }) => request)).toEqual(["hold_0", "hold_2"])
    })
  })
}

describe("a settlement that every database rejects", () => {
  /** Returns a store that rejects batches with a given request. */
  function rejecting(store: Store, request: string, error: () => Error): Store {
    const post: Store["settlements"]["post"] = (node, batch) =>
      batch.postings.some((one) => one.request === request && one.amount > 0n)
        ? Promise.reject(error())
        : store.settlements.post(node, batch)
    return { ...store, settlements: { ...store.settlements, post } }
  }

  test("fails only for its own caller, and releases its held credits", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 100n)
    const store = rejecting(database.store, "req_2", () =>
      rejections.cannotBeStored("out of range"),
    )
    const record = { id: "node", process: 1, host: "test", beatAt: 1, machine: null }
    await database.store.nodes.join(record)
    const ledger = new Ledger(store, "node", database.alarms)
    // Leases with a term, as on a database over the network.
    ledger.spendUntil(performance.now() + TIMEOUT_MS)
    const payer = payerOf("account")
    await ledger.lease(payer, 100n)
    const holds = [1, 2, 3].map(() => ledger.tryHold(database.order(payer, 10n)))
    const settling = holds.map(async (hold) => {
      if (!hold) throw new Error("nothing was held")
      return await ledger.settle(hold, 10n, () => "{}")
    })
    const settled = await Promise.allSettled(settling)
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(settled[1]).toMatchObject({ reason: expect.any(UnstorableError) })
    expect(ledger.available(payer)).toBe(80n)
    expect(ledger.hasUnclearLeases).toBe(false)
    expect(ledger.failure).toBeUndefined()
    expect(database.alarms.writtenOffs).toMatchObject([
      { request: "req_2", amount: 10n, reason: "unstorable" },
    ])
    expect(database.alarms.failures).toHaveLength(1)
  })

  test("stays in the journal if its replacement is rejected as well", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 100n)
    await database.ledger("node")
    await using journal = await openJournal(database.directory.path)
    const alarms = new RecordedAlarms()
    const bodies = ["first", "second"].map((request) =>
      JSON.stringify({ ...posting(request), amount: "1" }),
    )
    const line = await journal.lines.add({ node: "node", bodies, done: [] })
    const poster = new JournalPoster(database.store, journal.lines, alarms)
    const postings = [posting("first", { account: "nobody" }), posting("second")]
    poster.add({
      node: "node",
      lines: [line, line + 1],
      batch: { postings, opened: [], closed: [] },
    })
    await poster.settled(TIMEOUT_MS)
    expect(await journal.lines.state()).toMatchObject({ rejected: 1, waiting: 1 })
    expect(poster.takeDone()).toEqual([line + 1])
    expect(alarms.writtenOffs).toEqual([])
    expect(alarms.failures).toHaveLength(1)
  })
})
