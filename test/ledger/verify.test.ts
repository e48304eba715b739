import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { readAnchor, writeAnchor } from "../../src/ledger/anchor-file.ts"
import { hashEntry, hashText } from "../../src/accounting/hash-chain.ts"
import type { LedgerProblem } from "../../src/ledger/verify/problem.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import {
  TestDatabase,
  openDirectStore,
  payerOf,
  TemporaryDirectory,
} from "../store/test-database.ts"

const BUDGET = 1_000n
const SECRET = "0".repeat(64)

/** Creates two accounts, grants, and charges by a key with a budget and by a key without. */
async function fillDatabase(database: TestDatabase): Promise<void> {
  const left = await database.account("left", 500n)
  const right = await database.account("right", 300n)
  await database.key("thrifty", "left", BUDGET)
  const ledger = await database.ledger("node")
  const thrifty = payerOf("left", "thrifty", ["thrifty"])
  for (const [payer, cost] of [
    [left, 7n],
    [thrifty, 11n],
    [right, 13n],
    [thrifty, 17n],
  ] as const) {
    await ledger.lease(payer, 20n)
    const order = database.order(payer, 20n)
    await ledger.settle(ledger.tryHold(order)!, cost, () => `{"id":"${order.request}"}`)
  }
  const late = database.order(right, 20n)
  await ledger.lease(right, 20n)
  const opened = { ...late, account: "right", key: "key", at: 4, receipt: "{}", request: "late" }
  await database.store.settlements.post("node", { postings: [], opened: [opened], closed: [] })
  await database.store.nodes.remove("node", 1)
  const again = await database.ledger("again")
  const payer = { account: "right", key: "key", budgets: [] }
  const ended = { ...payer, request: "late", at: 4, amount: 19n, receipt: "{}" }
  await database.store.settlements.post("again", {
    postings: [
      { ...ended, writtenOff: [{ amount: 3n, reason: "usage_beyond_bound" }] },
      { ...ended, request: "released", amount: 0n, writtenOff: [], receipt: '{"released":1}' },
    ],
    opened: [],
    closed: [],
  })
  await again.lease(left, 1n)
  await database.grant("left", 5n)
  await database.store.integrity.advanceAnchor(5)
}

describe("ledger verification", () => {
  const directory = new TemporaryDirectory()
  const original = join(directory.path, "original.db")

  beforeAll(async () => {
    const database = TestDatabase.direct()
    await fillDatabase(database)
    const copy = new Database(database.directory.database)
    copy.run("PRAGMA busy_timeout = 5000")
    copy.run(`VACUUM INTO '${original}'`)
    copy.close()
    await database[Symbol.asyncDispose]()
  })

  afterAll(() => directory[Symbol.dispose]())

  /** Returns the problems that verification reports after the ledger was changed with SQL. */
  async function problemsAfter(
    change: (database: Database) => void,
  ): Promise<readonly LedgerProblem[]> {
    using own = new TemporaryDirectory()
    copyFileSync(original, own.database)
    const database = new Database(own.database, { safeIntegers: true })
    database.run("PRAGMA busy_timeout = 5000")
    database.run("PRAGMA foreign_keys = OFF")
    database.run("PRAGMA ignore_check_constraints = ON")
    change(database)
    database.close()
    await using store = openDirectStore(own.database)
    return (await verifyLedgers(store)).problems
  }

  test("reports no problem in an intact ledger", async () => {
    using own = new TemporaryDirectory()
    copyFileSync(original, own.database)
    await using store = openDirectStore(own.database)
    expect(await verifyLedgers(store)).toMatchObject({
      accounts: 2,
      entries: 8,
      receipts: 2,
      writeOffs: 1,
      problems: [],
    })
  })

  test.each([
    ["amount = amount - 1", 2, "hash"],
    ["balance = balance + 1", 2, "hash"],
    ["at = at + 1", 2, "hash"],
    ["request = 'other'", 2, "hash"],
    ["note = 'other'", 2, "hash"],
    ["author = 'other'", 2, "hash"],
    ["receipt_hash = 'other'", 2, "hash"],
    ["kind = 'refund'", 2, "hash"],
    ["hash = 'other'", 2, "hash"],
    ["previous_hash = 'other'", 2, "previous_hash"],
    ["number = 99", 2, "number"],
  ] as const)("reports the first row in which %s", async (change, number, fault) => {
    const problems = await problemsAfter((database) => {
      database.run(`UPDATE entries SET ${change} WHERE account = 'left' AND number = 2`)
    })
    const found = fault === "number" ? 3 : number
    expect(problems).toMatchObject([{ account: "left", number: found, fault }])
  })

  test("reports a removed entry, in the middle or at the end", async () => {
    const middle = await problemsAfter((database) => {
      database.run("DELETE FROM entries WHERE account = 'left' AND number = 3")
    })
    expect(middle).toMatchObject([{ account: "left", number: 4, fault: "number" }])
    const end = await problemsAfter((database) => {
      database.run("DELETE FROM entries WHERE account = 'right' AND number = 3")
    })
    expect(end).toMatchObject([{ account: "right", number: null, fault: "posted" }])
  })

  test("reports a manipulated posted balance", async () => {
    const problems = await problemsAfter((database) => {
      database.run("UPDATE balances SET posted = posted + 1 WHERE owner = 'right'")
    })
    expect(problems).toMatchObject([{ account: "right", number: null, fault: "posted" }])
    expect(problems[0]?.message).toContain("269, but the entries add up to 268")
  })

  test("reports a budget that differs from the sum of its charges", async () => {
    for (const change of ["+ 1", "- 1"]) {
      const problems = await problemsAfter((database) => {
        database.run(`UPDATE balances SET posted = posted ${change} WHERE owner = 'thrifty'`)
      })
      expect(problems).toMatchObject([{ account: "left", number: null, fault: "budget" }])
    }
  })

  test.each([
    ["a changed key of a charge", "UPDATE entries SET key = 'other' WHERE number = 2", "hash"],
    ["changed budgets of a charge", "UPDATE entries SET budgets = 7 WHERE number = 2", "hash"],
    [
      "a changed receipt without a charge",
      "UPDATE entries SET receipt = '{}' WHERE request = 'released'",
      "receipt",
    ],
    [
      "a changed key of such a receipt",
      "UPDATE entries SET key = 'other' WHERE request = 'released'",
      "receipt",
    ],
    [
      "a removed expiry of such a receipt",
      "UPDATE entries SET kind = NULL WHERE replaced = 'late'",
      "receipt",
    ],
    [
      "a removed hash of such a receipt",
      "UPDATE entries SET hash = NULL WHERE request = 'released'",
      "receipt",
    ],
    [
      "the removed hashes of all such receipts",
      "UPDATE entries SET hash = NULL WHERE number IS NULL",
      "receipt",
    ],
    ["a changed leased amount", "UPDATE balances SET leased = 0 WHERE owner = 'left'", "leased"],
    ["a changed lease", "UPDATE leases SET amount = amount + 1 WHERE owner = 'left'", "leased"],
    ["a removed balance", "DELETE FROM balances WHERE owner = 'right'", "missing"],
    ["a removed balance of a budget", "DELETE FROM balances WHERE owner = 'thrifty'", "missing"],
    [
      "a changed budget grant",
      "UPDATE balances SET posted = posted + 9, allotted = allotted + 9 WHERE owner = 'thrifty'",
      "limit",
    ],
    ["a changed write-off", "UPDATE write_offs SET amount = 1", "write_off"],
    ["a changed reason for a write-off", "UPDATE write_offs SET reason = 'late'", "write_off"],
    ["a removed write-off", "DELETE FROM write_offs", "write_off"],
  ] as const)("reports %s", async (_, change, fault) => {
    const problems = await problemsAfter((database) => {
      for (const guard of ["changed", "deleted"]) {
        database.run(`DROP TRIGGER write_off_is_never_${guard}`)
      }
      database.run(change)
    })
    expect(problems.map((problem) => problem.fault)).toContain(fault)
  })

  test("reports the removal of an uncharged receipt", async () => {
    const problems = await problemsAfter((database) => {
      database.run("DELETE FROM entries WHERE request = 'released'")
    })
    expect(problems).toMatchObject([{ account: null, fault: "anchor" }])
    expect(problems[0]?.message).toContain("1 of them are missing")
  })

  test("detects a removed last entry by the anchor file, even if the balance and stored anchor were changed to match", async () => {
    using own = new TemporaryDirectory()
    copyFileSync(original, own.database)
    const store = openDirectStore(own.database)
    await writeAnchor(own.path, await store.integrity.findAnchor(), SECRET)
    await store[Symbol.asyncDispose]()
    const database = new Database(own.database)
    database.run("DELETE FROM entries WHERE account = 'left' AND number = 5")
    database.run("UPDATE balances SET posted = posted - 5 WHERE owner = 'left'")
    database.run("UPDATE anchor SET last_row = 0, row_count = 0, hash_sum = ''")
    database.close()
    await using changed = openDirectStore(own.database)
    const beside = readAnchor(own.path, SECRET)
    expect(beside?.isGenuine).toBe(true)
    expect((await verifyLedgers(changed)).problems).toEqual([])
    const { problems } = await verifyLedgers(changed, beside)
    expect(problems).toMatchObject([{ account: null, number: null, fault: "anchor" }])
    expect(readAnchor(own.path, "another secret")?.isGenuine).toBe(false)
  })

  test("reports a receipt that was changed, removed, or assigned to another entry", async () => {
    const changes = [
      "UPDATE entries SET receipt = '{}' WHERE account = 'right' AND number = 2",
      "UPDATE entries SET receipt = NULL WHERE account = 'right' AND number = 2",
      `UPDATE entries SET receipt =
        (SELECT receipt FROM entries WHERE account = 'left' AND receipt IS NOT NULL LIMIT 1)
       WHERE account = 'right' AND number = 2`,
    ]
    for (const change of changes) {
      const problems = await problemsAfter((database) => {
        database.run(change)
      })
      expect(problems).toMatchObject([{ account: "right", number: 2, fault: "receipt" }])
    }
  })

  test("reports a request that was charged twice, even if the hashes are correct", async () => {
    const problems = await problemsAfter((database) => {
      const last = database
        .query<{ number: bigint; balance: bigint; request: string; hash: string }, []>(
          "SELECT number, balance, request, hash FROM entries WHERE account = 'right' ORDER BY number DESC LIMIT 1",
        )
        .get()!
      const entry = {
        account: "right",
        number: Number(last.number) + 1,
        kind: "charge" as const,
        amount: -1n,
        balance: last.balance - 1n,
        at: 9,
        request: last.request,
        note: null,
        author: null,
        receiptHash: hashText("{}"),
        key: "key",
        budgetBits: 0,
        previousHash: last.hash,
      }
      database.run("DROP INDEX entries_by_request")
      database.run(
        `INSERT INTO entries (account, number, kind, amount, balance, at, request, note, author,
          receipt_hash, key, budgets, previous_hash, hash, receipt)
        SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, receipt FROM entries WHERE account = 'right' AND number = 3`,
        [...Object.values(entry), hashEntry(entry)],
      )
      database.run("UPDATE balances SET posted = posted - 1 WHERE owner = 'right'")
    })
    expect(problems).toMatchObject([{ account: "right", number: 4, fault: "receipt" }])
  })

  test("reads a long ledger page by page", async () => {
    await using database = TestDatabase.direct()
    await database.account("long", 0n)
    for (let count = 0; count < 1_203; count++) await database.grant("long", 1n)
    expect(await verifyLedgers(database.store)).toMatchObject({
      accounts: 1,
      entries: 1_203,
      problems: [],
    })
  })

  test("reports no problem while requests are charged", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 1_000_000n)
    await database.key("thrifty", "account", 1_000_000n)
    const payer = payerOf("account", "thrifty", ["thrifty"])
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 1_000_000n)
    const over = new AbortController()
    const charging = (async () => {
      while (!over.signal.aborted) {
        await ledger.settle(ledger.tryHold(database.order(payer, 10n))!, 3n, () => "{}")
      }
    })()
    for (let round = 0; round < 5; round++) {
      expect((await verifyLedgers(database.store)).problems).toEqual([])
    }
    over.abort()
    await charging
  })
})
