import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { budgetOwner } from "../../src/accounting/budget-periods.ts"
import { labelHolder, userLabel } from "../../src/accounting/label-budgets.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TABLES } from "../../src/store/copy/tables.ts"
import type { Database as AnyDatabase } from "../../src/store/database.ts"
import { databaseAt, databaseOf } from "../../src/store/installation-database.ts"
import type { Posting } from "../../src/store/settlements.ts"
import type { Store, StoreReader } from "../../src/store/store.ts"
import { fileOf, sqliteNames } from "../../src/store/sqlite/copy-tables.ts"
import { TestDatabases } from "../support/postgres-databases.ts"
import { until } from "../support/until.ts"
import { AUDIT } from "./audit-record.ts"
import { CHANGES } from "./contract/audited-writes.ts"
import { rejectionOf } from "./engines.ts"
import { TemporaryDirectory } from "./test-database.ts"

const NOW = Date.now()
const DAY = 24 * 60 * 60_000
const IMAGE = `${NOW + DAY}-image`
/**
 * Number of requests of the key: charged, released, written off, with a vendor's state, with a label, late, and
 * expired.
 */
const REQUESTS = 1_200 + 6
const servers = new TestDatabases()

function postgresAt(url: string, secret?: string): AnyDatabase {
  return databaseAt({ engine: "postgresql", url, connections: 4, secret })
}

function posting(number: number, change: Partial<Posting> = {}): Posting {
  const at = NOW - 4 * DAY + number
  const request = `req_${Bun.randomUUIDv7("hex", at)}`
  return {
    request,
    account: "payer",
    key: "budgeted",
    budgets: [],
    amount: BigInt(number),
    writtenOff: [],
    at,
    receipt: JSON.stringify({
      id: request,
      status: change.amount === 0n ? "released" : "settled",
      endpoint: "/v1/chat/completions",
      model: `model ${number % 3}`,
      deployment: "vendor/m",
      price: { multiplier: "1", group: number % 2 === 0 ? undefined : { id: "partners" } },
      duration_ms: number,
      usage: { input: number, output: 1 },
      note: 'é "quoted" \\ \n\u0001',
    }),
    ...change,
  }
}

/** Creates a debt: a payment is taken back after it was spent. */
async function owe(store: Store): Promise<void> {
  await store.accounts.create({ id: "debtor", name: "debtor", createdAt: 1 }, AUDIT)
  const card = { intent: "spent", units: 5n, currency: "eur" }
  await store.payments.add(
    { id: "spent", account: "debtor", amount: 5n, at: 4, note: null, card },
    AUDIT,
  )
  const spent = { account: "debtor", kind: "adjustment", amount: -4n, note: null } as const
  await store.entries.add({ ...spent, at: 5, author: null }, AUDIT)
  const kind = "refund"
  await store.payments.noteReversal({ id: "r", intent: "spent", kind, units: 5n, isUndone: false })
  const taken = { intent: "spent", amount: 5n, at: 6, note: kind, author: "stripe" }
  await store.payments.settleReversal(taken, AUDIT)
}

async function tell({ notices }: Store): Promise<void> {
  const target = {
    id: "told",
    account: "payer",
    channel: "slack",
    hint: "a",
    encrypted: "b",
  } as const
  const wanted = { types: ["test", "write_off"], balanceBelow: 2n ** 62n, createdAt: 3 }
  await notices.insertTarget({ ...target, ...wanted }, AUDIT)
  const notice = { id: "n", account: "payer", type: "test", at: NOW, data: "{}" }
  await notices.raise(notice, { name: "mark", from: null, to: "told" })
}

/** Erases a person who is named in an entry. */
async function erase(store: Store): Promise<void> {
  const addresses = ["eve@example.com"]
  const grant = { account: "payer", kind: "grant", amount: 1n, at: 2, note: null } as const
  await store.entries.add({ ...grant, author: "eve@example.com" }, AUDIT)
  const audit = { ...AUDIT, action: "user.erase" }
  await store.personKeys.erase({ person: "eve", addresses, addressHashes: [], at: 9 }, audit)
}

/** Makes changes of every kind in a ledger. */
async function happen(store: Store): Promise<void> {
  for (const change of CHANGES) await change(store)
  await store.accounts.create({ id: "payer", name: "payer", createdAt: 1 }, AUDIT)
  const grant = {
    account: "payer",
    kind: "grant",
    amount: 1_000_000n,
    note: "ü",
    author: null,
  } as const
  await store.entries.add({ ...grant, at: 2 }, AUDIT)
  await store.keys.insert(
    {
      id: "budgeted",
      account: "payer",
      name: "budgeted",
      models: ["a/*"],
      aliases: { small: "a/b" },
      budget: 90_000n,
      dailyBudget: null,
      monthlyBudget: null,
      requestsPerMinute: 5,
      tokensPerMinute: 2 ** 40,
      concurrentRequests: 7,
      createdAt: 1,
      createdBy: "user_1",
      expiresAt: null,
      origins: ["https://example.com"],
      isReadOnly: true,
      addresses: ["10.0.0.0/8"],
      secret: { hash: "third", hint: "abcd", createdAt: 1, expiresAt: null },
    },
    AUDIT,
  )
  await owe(store)
  await tell(store)
  await erase(store)
  const node = { id: "node", process: 1, host: "test", beatAt: NOW, machine: null }
  await store.nodes.join(node)
  await store.leases.take({ node: "node", owner: "payer", wanted: 500_000n, min: 1n })
  await store.leases.take({ node: "node", owner: "budgeted", wanted: 50_000n, min: 1n })
  const labelBudgets = [{ label: userLabel("*"), monthlyBudget: "5000" }]
  await store.accounts.update("payer", { labelBudgets }, AUDIT)
  const labelled = posting(1_800)
  const user = budgetOwner(userLabel("ü@b"), "month", labelled.at)
  const owner = labelHolder("payer", user)
  await store.leases.take({ node: "node", owner, wanted: 5_000n, min: 1n })
  const late = posting(2_000)
  const state = {
    idHash: "hash",
    provider: "vendor",
    kind: "response",
    account: "payer",
    request: "r",
    tokens: 5,
    createdAt: 1,
    expiresAt: NOW + DAY,
  } as const
  const charges = Array.from({ length: 1_200 }, (_, index) => posting(index + 1))
  await store.settlements.post("node", {
    postings: [
      ...charges.map((charge) => ({ ...charge, budgets: ["budgeted"], amount: 7n })),
      posting(1_500, { amount: 0n }),
      posting(1_600, { writtenOff: [{ amount: 9n, reason: "budget_empty" }] }),
      posting(1_700, { state: [state] }),
      { ...labelled, budgets: [owner], receipt: JSON.stringify({ label_budgets: [user] }) },
    ],
    opened: [
      { ...late, receipt: '{"status":"expired"}' },
      { ...posting(2_100), receipt: '{"status":"expired"}' },
    ],
    closed: [],
  })
  await store.nodes.remove("node", NOW)
  await store.nodes.join({ ...node, id: "other" })
  await store.settlements.post("other", { postings: [late], opened: [], closed: [] })
  await store.nodes.remove("other", NOW)
  for (let isBehind = true; isBehind;) ({ isBehind } = await store.integrity.advanceAnchor(NOW))
}

const KEPT: Readonly<Record<string, readonly string[]>> = {
  "tollgate.db": [
    `INSERT INTO idempotency VALUES ('payer', 'key', 'f', 'r', 'node', ${NOW}, '{}', 'kept', 12)`,
    "INSERT INTO console_settings VALUES ('provider', 'p', '{}', '1.encrypted', 7, 8)",
    "INSERT INTO recalls VALUES ('budgeted', '(budget)', 9007199254740991, 0)",
  ],
  "contents.db": [`INSERT INTO contents VALUES ('r', 'payer', ${NOW}, '{"a":"é"}', NULL)`],
  "conversations.db": [
    `INSERT INTO parts VALUES ('h', 'a', 'payer', ${NOW}, ${NOW + DAY}, 3, x'00ff7f')`,
  ],
  "console.db": [
    "INSERT INTO users VALUES ('u', 'Ada', 'ada@example.com', 'hash', 1, 0, 1, NULL)",
    "INSERT INTO identities VALUES ('google', 's', 'u', 1)",
    "INSERT INTO passkeys VALUES ('p', 'u', 'credential', 'key', 7, '[]', 'laptop', 1, NULL)",
    `INSERT INTO sessions VALUES ('s', 't', 'u', 1, 1, ${NOW + DAY}, '::1', 'agent')`,
    "INSERT INTO second_factors VALUES ('u', 'encrypted', '[]', 1, 3, 0, NULL)",
    `INSERT INTO proofs VALUES ('h', 'reset-password', 'u', '', 0, ${NOW + DAY})`,
    `INSERT INTO attempts VALUES ('::1', 3, ${NOW})`,
  ],
}

/** Fills a folder with at least one row in every table, with secrets and with files. */
async function fill(folder: string): Promise<void> {
  const database = databaseOf({ data: folder })
  {
    await using store = await database.openStore()
    await happen(store)
  }
  {
    await using serving = await database.openToServe(false)
    await serving.payloads.keep({
      request: "q",
      account: "payer",
      at: NOW,
      asked: "{}",
      answered: "{}",
    })
    const parts = [{ hash: "first", encrypted: new Uint8Array([1]) }]
    const record = { account: "payer", at: NOW, expiresAt: NOW + DAY, parts }
    await serving.conversations.keep([{ record, room: { accountBytes: 1e6, totalBytes: 1e6 } }])
    const bytes = new Uint8Array(700_000).fill(5)
    await serving.files("responses").write("answer", bytes, DAY)
    await serving.files("images").write(IMAGE, bytes.subarray(0, 10), DAY)
  }
  const users = await database.openConsoleStore()
  users[Symbol.dispose]()
  const secrets = await database.openSecrets()
  for (const name of ["key-pepper", "session-secret"] as const) secrets.readOrCreate(name)
  for (const [file, statements] of Object.entries(KEPT)) {
    using opened = new Database(join(folder, file))
    for (const statement of statements) opened.run(statement)
  }
}

/** Returns every row of every table, sorted, and the files. */
function contentOf(folder: string): Record<string, unknown> {
  const files = {
    ledger: "tollgate",
    console: "console",
    contents: "contents",
    conversations: "conversations",
  }
  const tables = TABLES.filter(({ name }) => name !== "revisions").map((table) => {
    const names = sqliteNames(table)
    using database = new Database(join(folder, `${files[fileOf(table)]}.db`), {
      safeIntegers: true,
    })
    const rows = database.query(`SELECT ${names.columns.join(", ")} FROM ${names.table}`).values()
    return [table.name, rows.map((row) => row.map((value) => String(value)).join("|")).toSorted()]
  })
  const kept = ["responses", "images"].map((kind) => [kind, readdirSync(join(folder, kind))])
  return Object.fromEntries([...tables, ...kept])
}

/** Copies a database, and verifies the ledger of the copy. */
async function copy(from: AnyDatabase, to: AnyDatabase): Promise<void> {
  await from.copyFrom(async (source) => {
    await to.copyTo(source, async (reader) =>
      expect((await verifyLedgers(reader)).problems).toEqual([]),
    )
  })
}

test("a copy to a database server and back has the same rows", async () => {
  using left = new TemporaryDirectory()
  using right = new TemporaryDirectory()
  await fill(left.path)
  const before = contentOf(left.path)
  for (const { name } of TABLES) {
    // Removed rows are covered by test/store/pruned-ledger.test.ts.
    if (name !== "revisions" && !name.includes("pruned"))
      expect([name, before[name]]).not.toEqual([name, []])
  }
  const url = await servers.urlOf(left.path)
  const secret = "0123456789abcdef".repeat(4)
  const postgres = postgresAt(url, secret)
  await copy(databaseOf({ data: left.path }), postgres)

  const secrets = await databaseOf({ data: left.path }).openSecrets()
  const copied = await postgres.openSecrets()
  expect(copied.read("key-pepper")).toBe(secrets.read("key-pepper"))
  expect(copied.read("session-secret")).toBe(secrets.read("session-secret"))
  expect(await rejectionOf(postgresAt(url).openSecrets())).toBe("without_secrets")
  await expectSameReports(databaseOf({ data: left.path }), postgres)

  await copy(postgres, databaseOf({ data: right.path }))
  expect(contentOf(right.path)).toEqual(before)
  const back = await databaseOf({ data: right.path }).openSecrets()
  expect(back.read("key-pepper")).toBe(secrets.read("key-pepper"))
})

async function expectSameReports(...databases: readonly AnyDatabase[]): Promise<void> {
  const [expected, found] = await Promise.all(databases.map(reportsOf))
  expect(expected?.uses).toHaveLength(1)
  expect(found).toEqual(expected)
}

async function reportsOf(database: AnyDatabase) {
  await using serving = await database.openToServe(false)
  // A new index reads the ledger in several steps.
  await until(async () => {
    const [use] = await (await serving.reports.upToDate()).keyUses(["budgeted"])
    return use?.requests === REQUESTS
  })
  const reports = await serving.reports.upToDate()
  const range = { from: 0, to: NOW + DAY }
  return {
    uses: await reports.keyUses(["budgeted"]),
    outcomes: await reports.sumUsage(range, "outcome"),
    hours: await reports.sumUsage(range, "hour"),
    priceGroups: await reports.sumUsage(range, "price_group"),
    models: (await reports.sumUsage(range, "model")).toSorted((one, other) =>
      one.group < other.group ? -1 : 1,
    ),
  }
}

test("a copied ledger accepts new entries after the last entry of the original ledger", async () => {
  using left = new TemporaryDirectory()
  await fill(left.path)
  const postgres = postgresAt(await servers.urlOf(left.path))
  await copy(databaseOf({ data: left.path }), postgres)
  await using store = await postgres.openStore()
  const node = { id: "node", process: 1, host: "test", beatAt: NOW, machine: null }
  await store.nodes.join(node)
  await store.leases.take({ node: "node", owner: "payer", wanted: 1_000n, min: 1n })
  const batch = { postings: [posting(3_000)], opened: [], closed: [] }
  await store.settlements.post("node", batch)
  await store.nodes.remove("node", NOW)
  for (let isBehind = true; isBehind;) ({ isBehind } = await store.integrity.advanceAnchor(NOW))
  expect((await verifyLedgers(store)).problems).toEqual([])
})

const nothing = async (): Promise<void> => {}

test("a database in use is neither copied nor overwritten", async () => {
  using folder = new TemporaryDirectory()
  using empty = new TemporaryDirectory()
  const sqlite = databaseOf({ data: folder.path })
  const postgres = postgresAt(await servers.urlOf(folder.path))
  for (const database of [sqlite, postgres]) {
    await using store = await database.openStore()
    await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  }
  for (const [from, to] of [
    [sqlite, postgres],
    [postgres, sqlite],
    [sqlite, sqlite],
  ] as const) {
    expect(await rejectionOf(from.copyFrom((source) => to.copyTo(source, nothing)))).toBe("exists")
  }
  for (const database of [sqlite, postgres]) {
    await using store = await database.openStore()
    await store.nodes.join({ id: "n", process: 1, host: "test", beatAt: NOW, machine: null })
    const target = databaseOf({ data: empty.path })
    const rejected = database.copyFrom((source) => target.copyTo(source, nothing))
    expect(await rejectionOf(rejected)).toBe("unavailable")
  }
})

test("a gateway cannot start with an unfinished copy", async () => {
  using folder = new TemporaryDirectory()
  using empty = new TemporaryDirectory()
  const sqlite = databaseOf({ data: folder.path })
  {
    await using store = await sqlite.openStore()
    await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  }
  const postgres = postgresAt(await servers.urlOf(folder.path))
  const target = databaseOf({ data: empty.path })
  const failing = async (_copy: StoreReader): Promise<void> => {
    throw new Error("not the same")
  }
  for (const to of [postgres, target]) {
    const copying = sqlite.copyFrom((source) => to.copyTo(source, failing))
    expect(await rejectionOf(copying)).toMatchObject({ message: "not the same" })
  }
  expect(await rejectionOf(postgres.openSecrets())).toBe("unfinished")
  expect(await rejectionOf(target.openStore())).toBe("unfinished")
  expect(await rejectionOf(target.openToServe(false))).toBe("unfinished")
  expect(await rejectionOf(sqlite.copyFrom((source) => target.copyTo(source, nothing)))).toBe(
    "exists",
  )
})

test("a copy that fails leaves the database server empty", async () => {
  using folder = new TemporaryDirectory()
  const sqlite = databaseOf({ data: folder.path })
  {
    await using store = await sqlite.openStore()
    await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  }
  mkdirSync(join(folder.path, "images"))
  writeFileSync(join(folder.path, "images", IMAGE), "image")
  const postgres = postgresAt(await servers.urlOf(folder.path))
  const broken = sqlite.copyFrom((source) =>
    postgres.copyTo(
      {
        ...source,
        files: () => {
          throw new Error("the disk is gone")
        },
      },
      nothing,
    ),
  )
  expect(await rejectionOf(broken)).toMatchObject({ message: "the disk is gone" })
  await using store = await postgres.openStore()
  expect(await store.accounts.list()).toEqual([])
  await sqlite
    .copyFrom((source) => postgres.copyTo(source, nothing).then(() => undefined))
    .catch(() => undefined)
  expect(await store.accounts.list()).toHaveLength(1)
  expect(existsSync(folder.database)).toBe(true)
})
