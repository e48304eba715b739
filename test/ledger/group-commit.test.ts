import { describe, expect, spyOn, test } from "bun:test"
import type { Batch } from "../../src/store/settlements.ts"
import type { Hold } from "../../src/ledger/hold.ts"
import type { Settled } from "../../src/ledger/settlement-writer.ts"
import { GroupCommit } from "../../src/ledger/group-commit.ts"
import { payerOf } from "../store/test-database.ts"
import { until } from "../support/until.ts"

/** A store whose writes the test can observe, delay and make fail. */
class FakeLedgerStore {
  readonly batches: Batch[] = []
  /** Number of writes that fail before a write succeeds. */
  failures = 0
  /** Writes wait until this promise is resolved. */
  gate: Promise<void> = Promise.resolve()

  readonly write = async (batch: Batch): Promise<Settled[]> => {
    await this.gate
    if (this.failures > 0) {
      this.failures--
      throw new Error("database or disk is full")
    }
    this.batches.push(batch)
    return batch.postings.map(({ request, amount }) => ({
      request,
      charged: amount,
      fromLease: amount,
      fromBudgetLeases: [],
      balance: 0n,
      late: false,
    }))
  }
}

const payer = payerOf("account")
const drawn = { account: "account", key: "key", budgets: [], writtenOff: [] }

function holdOf(request: string, age = 0): Hold {
  return {
    request,
    payer,
    balances: [],
    amount: 1n,
    at: Date.now() - age,
    receipt: () => `expired ${request}`,
    recorded: false,
    over: false,
  }
}

function settle(commits: GroupCommit, hold: Hold): Promise<Settled> {
  hold.over = true
  const { request, amount, at } = hold
  const receipt = () => `settled ${request}`
  return commits.append(hold, { request, ...drawn, amount, at, receipt })
}

function open(commits: GroupCommit, request: string, age = 0): Hold {
  const hold = holdOf(request, age)
  commits.opened(hold)
  return hold
}

/** Waits until all pending callbacks have run, but no timer. */
async function settled(): Promise<void> {
  await new Promise(setImmediate)
}

describe("group commit", () => {
  test("writes a single settlement immediately, without a timer", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    const lone = open(commits, "lone")
    open(commits, "slow, still running")
    void settle(commits, lone)
    await settled()
    expect(database.batches).toHaveLength(1)
  })

  test("combines settlements of one event-loop turn", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    const holds = Array.from({ length: 50 }, (_, index) => open(commits, `req_${index}`))
    await Promise.all(holds.map((hold) => settle(commits, hold)))
    expect(database.batches.map(({ postings }) => postings.length)).toEqual([50])
  })

  test("combines settlements that arrive while the disk is busy", async () => {
    const database = new FakeLedgerStore()
    const gate = Promise.withResolvers<void>()
    database.gate = gate.promise
    const commits = new GroupCommit(database.write)
    const holds = Array.from({ length: 50 }, (_, index) => open(commits, `req_${index}`))
    const first = settle(commits, holds[0]!)
    await settled()
    const settling = holds.slice(1).map((hold) => settle(commits, hold))
    gate.resolve()
    const posted = await Promise.all([first, ...settling])
    expect(posted.map(({ request }) => request)).toEqual(holds.map(({ request }) => request))
    expect(database.batches.map(({ postings }) => postings.length)).toEqual([1, 49])
  })

  test("combines settlements that arrive close together", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    open(commits, "slow, still running")
    const holds = Array.from({ length: 20 }, (_, index) => open(commits, `req_${index}`))
    await settle(commits, holds[0]!)
    await Promise.all(holds.slice(1).map((hold) => settle(commits, hold)))
    expect(database.batches.map(({ postings }) => postings.length)).toEqual([1, 19])
  })

  test("waits for more settlements if there was traffic recently and requests are still running", async () => {
    let now = 0
    using clock = spyOn(performance, "now")
    clock.mockImplementation(() => now)
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    const early = Array.from({ length: 8 }, (_, index) => open(commits, `early_${index}`))
    await Promise.all(early.map((hold) => settle(commits, hold)))
    now = 9
    const [first, last] = [open(commits, "first"), open(commits, "last")]
    void settle(commits, first)
    await settled()
    expect(database.batches).toHaveLength(1)
    await settle(commits, last)
    expect(database.batches.map(({ postings }) => postings.length)).toEqual([8, 2])
  })

  test("does not wait if there is little traffic or no recent traffic", async () => {
    let now = 0
    using clock = spyOn(performance, "now")
    clock.mockImplementation(() => now)
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    open(commits, "slow, still running")
    for (const [at, count] of [
      [0, 7],
      [9, 9],
      [50, 1],
    ] as const) {
      now = at
      const holds = Array.from({ length: count }, () => open(commits, `at_${at}`))
      for (const hold of holds) void settle(commits, hold)
      await settled()
    }
    expect(database.batches.map(({ postings }) => postings.length)).toEqual([7, 9, 1])
  })

  test("continues after a flush that has nothing to write", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    await commits.flush()
    await commits.flush()
    expect((await settle(commits, open(commits, "after"))).request).toBe("after")
    await Promise.all([commits.flush(), commits.flush()])
    expect(database.batches).toHaveLength(1)
  })

  test("flushes all earlier settlements", async () => {
    const database = new FakeLedgerStore()
    const gate = Promise.withResolvers<void>()
    database.gate = gate.promise
    const commits = new GroupCommit(database.write)
    const first = settle(commits, open(commits, "first"))
    open(commits, "still running")
    const second = settle(commits, open(commits, "second"))
    const flushing = commits.flush()
    gate.resolve()
    await flushing
    expect(database.batches.flatMap(({ postings }) => postings)).toHaveLength(2)
    await Promise.all([first, second])
  })
})

describe("records of long-running holds", () => {
  test("contain the receipt, are written once, and are closed when the hold ends", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    const old = open(commits, "old", 1_000)
    open(commits, "young")
    commits.tick(Date.now())
    await commits.flush()
    expect(database.batches.map(({ opened }) => opened)).toEqual([
      [
        {
          request: "old",
          account: "account",
          key: "key",
          amount: 1n,
          at: old.at,
          receipt: "expired old",
        },
      ],
    ])
    commits.tick(Date.now())
    await commits.flush()
    expect(database.batches).toHaveLength(1)
    await settle(commits, old)
    expect(database.batches[1]).toMatchObject({ opened: [], closed: ["old"] })
  })

  test("close at the next tick after the release of the hold", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    const old = open(commits, "old", 1_000)
    commits.tick(Date.now())
    await commits.flush()
    old.over = true
    commits.closed(old)
    commits.tick(Date.now())
    await commits.flush()
    expect(database.batches[1]).toEqual({ postings: [], opened: [], closed: ["old"] })
  })

  test("do not exist for holds that ended before a delayed tick", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    const over = open(commits, "over", 1_000)
    const old = open(commits, "old", 900)
    over.over = true
    commits.closed(over)
    commits.tick(Date.now())
    await commits.flush()
    expect(database.batches.flatMap(({ opened }) => opened).map(({ request }) => request)).toEqual([
      old.request,
    ])
  })
})

describe("group commit to a failing ledger", () => {
  test("rejects the settlements of the batch and continues", async () => {
    const database = new FakeLedgerStore()
    database.failures = 1
    const commits = new GroupCommit(database.write)
    await expect(settle(commits, open(commits, "unlucky"))).rejects.toThrow("disk is full")
    expect((await settle(commits, open(commits, "lucky"))).charged).toBe(1n)
  })

  test("adds starts and ends of holds that it could not write to the next batch", async () => {
    const database = new FakeLedgerStore()
    const commits = new GroupCommit(database.write)
    const ended = open(commits, "ended", 2_000)
    commits.tick(Date.now())
    await commits.flush()
    ended.over = true
    commits.closed(ended)
    open(commits, "lasting", 1_000)
    database.failures = 1
    commits.tick(Date.now())
    await commits.flush()
    expect(database.failures).toBe(0)
    commits.tick(Date.now())
    await until(() => database.batches.length === 2)
    const { opened, closed } = database.batches[1]!
    expect(opened.map(({ request }) => request)).toEqual(["lasting"])
    expect(closed).toEqual(["ended"])
  })

  test("rejects settlements that are missing in the store's response", async () => {
    const commits = new GroupCommit(async () => [])
    await expect(settle(commits, open(commits, "forgotten"))).rejects.toThrow("fewer settlements")
  })
})
