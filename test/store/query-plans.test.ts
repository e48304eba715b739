import { Database, type Statement } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { PostgresClient, type Transaction } from "../../src/store/postgres/client.ts"
import { migrate as migratePostgres } from "../../src/store/postgres/migrate.ts"
import { postgresStore } from "../../src/store/postgres/postgres-store.ts"
import { SCHEMA } from "../../src/store/postgres/schema/steps.ts"
import { methodNames, methodOf, methodsNamed, type GroupsOf } from "../../src/store/methods.ts"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"
import { storeMethods } from "../../src/store/sqlite/store-methods.ts"
import type { Store } from "../../src/store/store.ts"
import { expectGolden } from "../golden/golden-file.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import { AUDIT } from "./audit-record.ts"
import { TestDatabase } from "./test-database.ts"

// Golden files contain the query plans of the statements that the most frequent methods of the store execute. If a
// statement no longer uses its index, a line changes.

const AT = Date.UTC(2026, 2, 2)
const NODE = "node"
const RANGE = { from: AT, until: AT + 1 }
const POSTING = {
  request: "req_1",
  account: "a",
  key: "k",
  budgets: [],
  amount: 1n,
  writtenOff: [],
  at: AT,
  receipt: "{}",
}
const CLAIM = {
  scope: "a",
  key: "i",
  fingerprint: "f",
  request: "req_1",
  node: NODE,
  at: AT,
  rights: "{}",
  expired: 0,
  replaces: null,
  maxKeys: 10,
}

/** Methods in the order in which they are called, by group and name. */
const CALLS: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ["nodes.poll", (store) => store.nodes.poll(NODE, AT)],
  ["nodes.list", (store) => store.nodes.list()],
  ["leases.take", (store) => store.leases.take({ node: NODE, owner: "a", wanted: 5n, min: 1n })],
  ["settlements.post", (store) => post(store)],
  ["leases.giveBack", (store) => store.leases.giveBack(NODE, [{ owner: "a", amount: 1n }])],
  ["leases.recall", (store) => store.leases.recall("a", 1n)],
  ["leases.endRecall", (store) => store.leases.endRecall("a")],
  ["settlements.listHolds", (store) => store.settlements.listHolds("a")],
  ["settlements.findReceipt", (store) => store.settlements.findReceipt("req_1")],
  ["settlements.findReceipts", (store) => store.settlements.findReceipts(["req_1"], RANGE)],
  ["settlements.listWriteOffs", (store) => store.settlements.listWriteOffs(["a"], null, 10)],
  ["accounts.find", (store) => store.accounts.find("a")],
  ["accounts.list", (store) => store.accounts.list()],
  ["accounts.list with ids", (store) => store.accounts.list(["a", "b"])],
  ["accounts.any", (store) => store.accounts.any()],
  ["entries.list", (store) => store.entries.list("a", 0, 10)],
  ["entries.findRange", (store) => store.entries.findRange("a", AT, AT + 1)],
  ["entries.add", (store) => grant(store)],
  ["keys.find", (store) => store.keys.find("k")],
  ["keys.list", (store) => store.keys.list({ accounts: ["a"], now: AT }, null, 10)],
  ["keys.listChanged", (store) => store.keys.listChanged(0)],
  ["keys.listBudgets", (store) => store.keys.listBudgets("", 10)],
  ["keys.update", (store) => store.keys.update("k", { name: "other" }, AUDIT)],
  ["codes.find", (store) => store.codes.find("c")],
  ["codes.list", (store) => store.codes.list(null, 10)],
  ["members.find", (store) => store.members.find("m")],
  ["members.list", (store) => store.members.list({ accounts: ["a"] }, null, 10)],
  ["invitations.findByToken", (store) => store.invitations.findByToken("t", AT)],
  ["invitations.list", (store) => store.invitations.list(["a"], AT, null, 10)],
  ["invitations.listTo", (store) => store.invitations.listTo("a@example.com", AT, null, 10)],
  ["audit.list", (store) => store.audit.list({ accounts: ["a"] }, null, 10)],
  ["audit.append", (store) => store.audit.append(AUDIT)],
  ["notices.list", (store) => store.notices.list(["a"], null, 10)],
  [
    "notices.claim",
    (store) =>
      store.notices.claim(AT, AT + 1, {
        total: 9,
        perAccount: 3,
        perTarget: 2,
        after: "",
        running: [],
      }),
  ],
  ["notices.lowBalances", (store) => store.notices.lowBalances(10)],
  ["notices.spentBudgets", (store) => store.notices.spentBudgets(AT, 10)],
  ["payments.findCard", (store) => store.payments.findCard("i")],
  ["payments.listPaidAmounts", (store) => store.payments.listPaidAmounts("a", 1, 2)],
  ["payments.findDebts", (store) => store.payments.findDebts("a")],
  ["settings.read", (store) => store.settings.read()],
  ["vendorState.find", (store) => store.vendorState.find(["h"])],
  ["vendorState.sweep", (store) => store.vendorState.sweep(AT, 10)],
  ["idempotency.perform", (store) => store.idempotency.perform([{ kind: "claim", claim: CLAIM }])],
  ["idempotency.sweep", (store) => store.idempotency.sweep(AT - 1)],
  ["deploymentReports.after", (store) => store.deploymentReports.after(0)],
  ["integrity.listRows", (store) => store.integrity.listRows(0, 10)],
  ["integrity.advanceAnchor", (store) => store.integrity.advanceAnchor(AT)],
]

function post(store: Store): Promise<unknown> {
  return store.settlements.post(NODE, { postings: [POSTING], opened: [], closed: ["req_0"] })
}

function grant(store: Store): Promise<unknown> {
  const unknown = { note: null, author: null }
  return store.entries.add({ account: "a", kind: "grant", amount: 1n, at: AT, ...unknown }, AUDIT)
}

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Receives the text of each executed statement. */
type Recorder = (text: string) => void

test("SQLite uses the recorded query plans", async () => {
  using explaining = new Database(":memory:", { strict: true })
  migrate(explaining, LEDGER_SCHEMA)
  const plans = await plansOf(
    async (record) => recordingSqlite(record),
    async (text) => {
      const rows = explaining.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`).all()
      return rows.map(({ detail }) => detail)
    },
  )
  expectGolden("query-plans/sqlite.txt", plans)
})

test("PostgreSQL uses the recorded query plans", async () => {
  const options = { url: server.url(await server.create()), connectTime: 5_000 }
  // This database has no partitions for today, and no statistics.
  await using explaining = new PostgresClient({ ...options, max: 1 })
  await migratePostgres(explaining, SCHEMA)
  const plans = await plansOf(
    async (record) => {
      const client = new RecordingClient({ ...options, max: 2 })
      client.record = record
      return postgresStore(client)
    },
    (text) => explaining.transaction((transaction) => explain(transaction, text)),
  )
  expectGolden("query-plans/postgresql.txt", plans)
})

/** Returns the plans of all calls as text. A statement that a call executes several times is listed once. */
async function plansOf(
  open: (record: Recorder) => Promise<Store>,
  explainOne: (text: string) => Promise<readonly string[]>,
): Promise<string> {
  let executed = new Set<string>()
  await using database = await TestDatabase.on({
    open: () => open((text) => executed.add(text)),
  })
  await setUp(database)
  const lines: string[] = []
  for (const [name, call] of CALLS) {
    executed = new Set()
    await call(database.store)
    lines.push(`## ${name}`)
    for (const text of executed) {
      const verb = /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/i.exec(text)?.[1]
      if (verb === undefined) continue
      lines.push(verb, ...(await explainOne(text)).map((line) => `  ${line}`))
    }
  }
  expect(CALLS.length).toBeGreaterThanOrEqual(40)
  return `${lines.join("\n")}\n`
}

async function setUp(database: TestDatabase): Promise<void> {
  await database.account("a", 100n)
  await database.key("k", "a", 10n)
  const place = { process: 1, host: "h", machine: null, beatAt: AT }
  await database.store.nodes.join({ id: NODE, ...place })
}

/** Returns the plan of a statement without conditions and table aliases. */
async function explain(transaction: Transaction, text: string): Promise<string[]> {
  await transaction.run("SET LOCAL enable_seqscan = off")
  const rows = await transaction.rows<{ "QUERY PLAN": string }>(
    `EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text.replaceAll(/^\s*--.*$/gm, "")}`,
  )
  return rows
    .map((row) => row["QUERY PLAN"])
    .filter((line) => /^\S|->|^\s*(CTE|InitPlan|SubPlan) /.test(line))
    .map((line) => line.replace(/( on \w+) \w+$/, "$1").replace(/(Plan|CTE) \w+.*$/, "$1"))
}

/** Opens a store in memory that records executed statements. */
function recordingSqlite(record: Recorder): Store {
  const database = new Database(":memory:", { strict: true, safeIntegers: true })
  database.run("PRAGMA foreign_keys = ON")
  migrate(database, LEDGER_SCHEMA)
  const { query, prepare, run } = database
  const recorded = (statement: Statement, text: string): Statement =>
    new Proxy(statement, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== "function") return member
        return (...parameters: unknown[]): unknown => {
          record(text)
          return Reflect.apply(member, target, parameters)
        }
      },
    })
  database.query = ((text) => recorded(query.call(database, text), text)) as Database["query"]
  database.prepare = ((text) => recorded(prepare.call(database, text), text)) as Database["prepare"]
  database.run = (text, ...parameters) => {
    record(text)
    return run.call(database, text, ...parameters)
  }
  const methods = storeMethods(database)
  const promising = methodsNamed<GroupsOf<Store>>(methodNames(methods), (group, name) => {
    const method = methodOf(methods, group, name)
    return async (...parameters) => method(...parameters)
  })
  return { ...promising, [Symbol.asyncDispose]: async () => database.close() }
}

class RecordingClient extends PostgresClient {
  record: Recorder = () => undefined

  override rows<Row>(...parameters: Parameters<PostgresClient["rows"]>): Promise<readonly Row[]> {
    this.record(parameters[0])
    return super.rows<Row>(...parameters)
  }

  override run(...parameters: Parameters<PostgresClient["run"]>): Promise<number> {
    this.record(parameters[0])
    return super.run(...parameters)
  }

  override transaction<T>(step: (transaction: Transaction) => Promise<T>): Promise<T> {
    return super.transaction((transaction) => step(this.#recorded(transaction)))
  }

  override consistently<T>(step: (transaction: Transaction) => Promise<T>): Promise<T> {
    return super.consistently((transaction) => step(this.#recorded(transaction)))
  }

  #recorded(transaction: Transaction): Transaction {
    const noted = (text: string): Transaction => {
      this.record(text)
      return transaction
    }
    return {
      rows: (text, values) => noted(text).rows(text, values),
      row: (text, values) => noted(text).row(text, values),
      run: (text, values) => noted(text).run(text, values),
      script: (text) => noted(text).script(text),
    }
  }
}
