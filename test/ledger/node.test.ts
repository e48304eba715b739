import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { HoldRecord } from "../../src/store/settlements.ts"
import type { NodeChanges } from "../../src/store/nodes.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import { Node, type NodeListeners } from "../../src/ledger/node.ts"
import { NodeLocks } from "../../src/store/node-locks.ts"
import type { Store } from "../../src/store/store.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

class RecordedListeners implements NodeListeners {
  readonly changes: NodeChanges[] = []
  readonly expired: HoldRecord[] = []
  readonly failures: unknown[] = []
  readonly rejoined: string[] = []

  async onChanges(changes: NodeChanges): Promise<void> {
    this.changes.push(changes)
  }
  async onRejoined(id: string): Promise<void> {
    this.rejoined.push(id)
  }
  onExpired(holds: readonly HoldRecord[]): void {
    this.expired.push(...holds)
  }
  onFailure(error: unknown): void {
    this.failures.push(error)
  }
}

/** Starts a process that holds credits, and waits until the journal has recorded that. */
async function startHolder(
  ledgerDatabase: TestDatabase,
  id: string,
  { folder, launcher = [] }: { folder?: string; launcher?: readonly string[] } = {},
): Promise<Bun.Subprocess> {
  const script = Bun.fileURLToPath(new URL("./dying-node.ts", import.meta.url))
  const words = [process.execPath, script, ledgerDatabase.directory.database, id]
  const child = Bun.spawn([...launcher, ...words, ...(folder === undefined ? [] : [folder])], {
    stdout: "pipe",
    stderr: "inherit",
  })
  const database = new Database(ledgerDatabase.directory.database, { readonly: true })
  database.run("PRAGMA busy_timeout = 5000")
  const holds = database.query<{ count: number }, []>("SELECT count(*) AS count FROM holds")
  await until(() => holds.get()?.count === 2)
  database.close()
  return child
}

/** Starts a process that holds credits, and kills it once the journal has recorded the hold. */
async function killHolder(database: TestDatabase, id: string, folder?: string): Promise<void> {
  const child = await startHolder(database, id, folder === undefined ? {} : { folder })
  child.kill("SIGKILL")
  await child.exited
}

describe("a process that has died", () => {
  test("returns its lease, and its open holds expire with a receipt and without a charge", async () => {
    await using database = TestDatabase.direct()
    const payer = await database.account("account", 100n)
    const locks = new NodeLocks(join(database.directory.path, "run"), "this machine")
    await killHolder(database, "dead", join(database.directory.path, "run"))
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 95n,
      leased: 95n,
    })

    const listeners = new RecordedListeners()
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(database.store, "survivor", listeners, { locks }))
    expect(listeners.expired.map(({ request }) => request).toSorted()).toEqual(["lasting", "late"])
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 95n,
      leased: 0n,
    })
    for (const request of ["lasting", "late"]) {
      const receipt = await database.store.settlements.findReceipt(request)
      expect(receipt).toMatchObject({ body: `{"expired":"${request}"}`, entry: null })
    }
    expect((await database.store.settlements.findReceipt("settled"))?.entry?.amount).toBe(-5n)
    expect((await verifyLedgers(database.store)).problems).toEqual([])

    const ledger = new Ledger(database.store, "survivor", database.alarms)
    await ledger.lease(payer, 95n)
    expect(ledger.available(payer)).toBe(95n)
  })

  test("disappears only once, even if several nodes remove the process", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 100n)
    await killHolder(database, "dead")
    const first = await database.store.nodes.remove("dead", 1)
    const second = await database.store.nodes.remove("dead", 1)
    expect([first.length, second.length]).toEqual([2, 0])
  })
})

test("a node polls immediately after a notification, and only once for simultaneous notifications", async () => {
  await using database = TestDatabase.direct()
  const listeners = new RecordedListeners()
  const minute = { pollIntervalMs: 60_000 }
  await using node = await Node.join(database.store, "node", listeners, minute)
  expect(listeners.changes).toHaveLength(0)
  for (let time = 0; time < 5; time++) node.pollSoon()
  await until(() => listeners.changes.length === 1)
  node.pollSoon()
  await until(() => listeners.changes.length === 2)
})

describe("a suspended process", () => {
  test("keeps its lease and its holds without heartbeats for an unlimited time", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 100n)
    const folder = join(database.directory.path, "run")
    const holder = await startHolder(database, "stopped", { folder })
    holder.kill("SIGSTOP")
    database.change("UPDATE nodes SET beat_at = 1")
    await using nodes = new AsyncDisposableStack()
    const listeners = new RecordedListeners()
    const options = { locks: new NodeLocks(folder, "this machine"), deadAfter: 100 }
    nodes.use(await Node.join(database.store, "other", listeners, options))
    expect(listeners.expired).toEqual([])
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 95n,
      leased: 95n,
    })
    holder.kill("SIGCONT")
    holder.kill("SIGUSR2")
    await until(async () => (await database.balanceOf("account")) === 81n)
    for (const request of ["lasting", "late"]) {
      const receipt = await database.store.settlements.findReceipt(request)
      expect(receipt).toMatchObject({ entry: { amount: -7n }, late: false, writtenOff: [] })
    }
    holder.kill("SIGKILL")
    await holder.exited
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("counts as dead if it has no lock, but can post its charges when it resumes", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 100n)
    const holder = await startHolder(database, "stopped")
    holder.kill("SIGSTOP")
    database.change("UPDATE nodes SET beat_at = 1")
    await using nodes = new AsyncDisposableStack()
    const listeners = new RecordedListeners()
    nodes.use(await Node.join(database.store, "other", listeners, { deadAfter: 100 }))
    expect(listeners.expired.map(({ request }) => request).toSorted()).toEqual(["lasting", "late"])
    expect(await database.store.settlements.findReceipt("late")).toMatchObject({
      body: '{"expired":"late"}',
      late: false,
    })
    holder.kill("SIGCONT")
    holder.kill("SIGUSR2")
    await until(async () => (await database.balanceOf("account")) === 81n)
    for (const request of ["lasting", "late"]) {
      const receipt = await database.store.settlements.findReceipt(request)
      const body = `{"after":"${request}"}`
      expect(receipt).toMatchObject({ body, entry: { amount: -7n }, late: true, writtenOff: [] })
    }
    holder.kill("SIGKILL")
    await holder.exited
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })
})

/** In its own namespace, as in a container, the process has the number 1. */
const CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
const hasContainers = Bun.spawnSync([...CONTAINER, "true"]).success

test.skipIf(!hasContainers)("two containers on one ledger do not remove each other", async () => {
  await using database = TestDatabase.direct()
  await database.account("account", 100n)
  const folder = join(database.directory.path, "run")
  const holder = await startHolder(database, "container", { folder, launcher: CONTAINER })
  await using nodes = new AsyncDisposableStack()
  const listeners = new RecordedListeners()
  const locks = new NodeLocks(folder, "this machine")
  // Gives the other process the same host name and process number as this process.
  database.change("UPDATE nodes SET process = 1, host = 'same'")
  nodes.use(await Node.join(database.store, "other", listeners, { locks }))
  expect(listeners.expired).toEqual([])
  expect((await database.store.nodes.list()).map(({ id }) => id).toSorted()).toEqual([
    "container",
    "other",
  ])
  holder.kill("SIGKILL")
  await holder.exited
  await until(() => locks.stateOf("container", locks.machine) === "dead")
})

describe("a node", () => {
  test("rejoins without a lease after other nodes have treated it as dead, and reports this", async () => {
    await using database = TestDatabase.direct()
    const payer = await database.account("account", 100n)
    const ledger = new Ledger(database.store, "node", database.alarms)
    const listeners = new RecordedListeners()
    listeners.onRejoined = async (id) => {
      listeners.rejoined.push(id)
      ledger.rejoin(id)
    }
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(database.store, "node", listeners))
    await ledger.lease(payer, 100n)
    await database.store.nodes.remove("node", 1)
    await until(() => listeners.rejoined.length === 1)
    expect(ledger.available(payer)).toBe(0n)
    expect((await database.store.nodes.list()).map(({ id }) => id)).toEqual(["node.2"])
    await ledger.lease(payer, 100n)
    expect(ledger.available(payer)).toBe(100n)
  })

  test("returns all its leases and reports its open holds when it leaves", async () => {
    await using database = TestDatabase.direct()
    const payer = await database.account("account", 100n)
    const ledger = new Ledger(database.store, "node", database.alarms)
    const listeners = new RecordedListeners()
    const node = await Node.join(database.store, "node", listeners)
    await ledger.lease(payer, 100n)
    const open = {
      request: "open",
      account: "account",
      key: "key",
      amount: 7n,
      at: 1,
      receipt: "{}",
    }
    await database.store.settlements.post("node", { postings: [], opened: [open], closed: [] })
    await node[Symbol.asyncDispose]()
    expect(listeners.expired).toEqual([open])
    expect(await database.store.nodes.list()).toEqual([])
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 100n,
      leased: 0n,
    })
  })

  test("removes nodes on its machine that hold no lock, and nodes whose heartbeat has timed out", async () => {
    await using database = TestDatabase.direct()
    const folder = join(database.directory.path, "run")
    const locks = new NodeLocks(folder, "this machine")
    const elsewhere = new NodeLocks(folder, "another machine")
    const now = Date.now()
    const here = { process: process.pid, host: "same", beatAt: now, machine: locks.machine }
    const there = { ...here, machine: elsewhere.machine }
    const long = { beatAt: now - 121_000 }
    using held = new DisposableStack()
    for (const id of ["alive", "alive and silent", "alive elsewhere"]) held.use(locks.take(id)!)
    for (const id of ["dead", "free elsewhere", "free elsewhere and silent"]) {
      locks.take(id)![Symbol.dispose]()
      await Bun.write(join(folder, `${id}.lock`), "")
    }
    await database.store.nodes.join({ ...here, id: "alive" })
    await database.store.nodes.join({ ...here, ...long, id: "alive and silent" })
    await database.store.nodes.join({ ...there, ...long, id: "alive elsewhere" })
    await database.store.nodes.join({ ...here, id: "dead" })
    await database.store.nodes.join({ ...there, id: "free elsewhere" })
    await database.store.nodes.join({ ...there, ...long, id: "free elsewhere and silent" })
    await database.store.nodes.join({ ...here, id: "without its file" })
    await database.store.nodes.join({ ...here, machine: null, id: "without a lock" })
    await database.store.nodes.join({
      ...here,
      machine: null,
      ...long,
      id: "without a lock and silent",
    })
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(database.store, "me", new RecordedListeners(), { locks }))
    const remaining = (await database.store.nodes.list()).map(({ id }) => id).toSorted()
    expect(remaining).toEqual([
      "alive",
      "alive and silent",
      "alive elsewhere",
      "free elsewhere",
      "me",
      "without a lock",
      "without its file",
    ])
  })

  test("removes its lock and its file when it leaves", async () => {
    await using database = TestDatabase.direct()
    const folder = join(database.directory.path, "run")
    const locks = new NodeLocks(folder, "this machine")
    const node = await Node.join(database.store, "me", new RecordedListeners(), { locks })
    expect(locks.stateOf("me", locks.machine)).toBe("alive")
    await node[Symbol.asyncDispose]()
    expect(readdirSync(folder)).toEqual([])
  })

  test("does not remove nodes that were suspended at the same time", async () => {
    await using database = TestDatabase.direct()
    const listeners = new RecordedListeners()
    const realNow = Date.now
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(database.store, "me", listeners, { deadAfter: 30_000 }))
    const elsewhere = { process: 1, host: "elsewhere", beatAt: realNow(), machine: null }
    await database.store.nodes.join({ ...elsewhere, id: "suspended too" })
    try {
      Date.now = () => realNow() + 60_000
      const looked = listeners.changes.length
      await until(() => listeners.changes.length > looked + 1)
      expect(await database.store.nodes.list()).toHaveLength(2)
      Date.now = () => realNow() + 66_000
      await until(async () => (await database.store.nodes.list()).length === 1)
    } finally {
      Date.now = realNow
    }
  })

  test("removes dead nodes even if heartbeats are rare because of long lease terms", async () => {
    await using database = TestDatabase.direct()
    const listeners = new RecordedListeners()
    const realNow = Date.now
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(database.store, "me", listeners, { leaseTerm: 60_000 }))
    const elsewhere = { process: 1, host: "elsewhere", beatAt: realNow() - 50_000, machine: null }
    await database.store.nodes.join({ ...elsewhere, id: "dead" })
    try {
      Date.now = () => realNow() + 21_000
      await until(async () => (await database.store.nodes.list()).length === 1)
    } finally {
      Date.now = realNow
    }
  })

  test("sends heartbeats and removes dead nodes even if its clock was set back", async () => {
    await using database = TestDatabase.direct()
    const listeners = new RecordedListeners()
    const realNow = Date.now
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(database.store, "me", listeners, { deadAfter: 30_000 }))
    try {
      let passed = -7_200_000
      Date.now = () => realNow() + passed
      const setBackTo = Date.now()
      const elsewhere = { process: 1, host: "elsewhere", beatAt: setBackTo - 31_000, machine: null }
      await database.store.nodes.join({ ...elsewhere, id: "dead" })
      const looked = listeners.changes.length
      await until(() => listeners.changes.length > looked + 1)
      passed += 6_000
      await until(async () => (await database.store.nodes.list()).length === 1)
      const [me] = await database.store.nodes.list()
      expect((me?.beatAt ?? 0) - setBackTo).toBeWithin(0, 60_000)
    } finally {
      Date.now = realNow
    }
  })

  test("reports errors of the store and continues", async () => {
    await using database = TestDatabase.direct()
    let isBroken = false
    const store: Store = {
      ...database.store,
      nodes: {
        ...database.store.nodes,
        poll: (...parameters) =>
          isBroken
            ? Promise.reject(new Error("disk I/O error"))
            : database.store.nodes.poll(...parameters),
      },
    }
    const listeners = new RecordedListeners()
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(store, "node", listeners))
    isBroken = true
    await until(() => listeners.failures.length > 1)
    isBroken = false
    const looked = listeners.changes.length
    await until(() => listeners.changes.length > looked)
  })
})
