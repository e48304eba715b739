import { Database } from "bun:sqlite"
import { SQL } from "bun"
import { describe, expect, test } from "bun:test"
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { PersonalNames } from "../../src/management/personal-names.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import type { Store } from "../../src/store/store.ts"
import { startVendor, wholeResponse } from "../relay/scripted-vendor.ts"
import { AUDIT } from "../store/audit-record.ts"
import { BEFORE, happen, pruneAll } from "../store/contract/pruning.ts"
import { migratedDatabase } from "../support/postgres-databases.ts"
import {
  cleanEnvironment,
  createInstallation,
  type Installation,
  PROGRAM_WORDS,
  runCommand,
  runJson,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"
import { cellsOf, Exported, type Manifest } from "./exported.ts"

/** A query for the processes that wait for a lock. */
const WAITING =
  "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
/** Names with special characters. */
const NAMES = ['acme, "the first"', "=HYPERLINK(1)", "＠sum", "-1+1", "Ünïcødé"]
const MODELS = `
models:
  vendor/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }`

function settingsOf(vendor: string, database?: string): string {
  return `
server: { port: 0 }
${database === undefined ? "" : `database: { url: "${database}" }`}
providers:
  vendor: { vendor: openai-compatible, api_key: upstream-canary, base_url: "${vendor}" }${MODELS}
`
}

async function fill(store: Store): Promise<void> {
  await happen(store)
  for (const [index, name] of NAMES.entries()) {
    const id = `acc_${index}`
    await store.accounts.create({ id, name, createdAt: 2 + index }, AUDIT)
    const note = 'two\nlines, "quoted"'
    await store.entries.add(
      { account: id, kind: "grant", amount: 1_000_000_007n, at: 5, note, author: "=me" },
      AUDIT,
    )
  }
  const author = await new PersonalNames(store).encrypt({ user: "user_1" }, "ada@example.com")
  await store.entries.add(
    { account: "acc_0", kind: "grant", amount: 1n, at: 6, note: null, author },
    AUDIT,
  )
  const labelBudgets = [{ label: "tag=team=red%20hot", dailyBudget: "5000000000" }]
  await store.accounts.update("new", { labelBudgets }, AUDIT)
  await store.nodes.join({ id: "n", process: 1, host: "test", beatAt: 1, machine: null })
  const owner = "new#tag=team=red%20hot@2026-11-24"
  await store.leases.take({ node: "n", owner, wanted: 5n, min: 1n })
  await store.nodes.remove("n", 2)
}

async function withFilled(
  { data }: Installation,
  url: string | undefined,
  step: (store: Store) => Promise<unknown>,
): Promise<void> {
  const database = url === undefined ? undefined : { url, connections: 4 }
  await using store = await databaseOf({ data, database }).openStore()
  await step(store)
}

async function exportTo(
  installation: Installation,
  name: string,
  ...options: string[]
): Promise<Exported> {
  const folder = join(installation.data, name)
  await runJson(installation, "export", folder, ...options)
  return new Exported(folder)
}

describe.each(["SQLite", "PostgreSQL"])("the export of %s", (engine) => {
  async function made(vendor = "http://127.0.0.1:9") {
    const url = engine === "SQLite" ? undefined : await migratedDatabase()
    return { url, installation: createInstallation(settingsOf(vendor, url)) }
  }

  test("contains all data and correct totals, and matches the manifest", async () => {
    const { url, installation } = await made()
    using _ = installation
    await withFilled(installation, url, fill)
    const exported = await exportTo(installation, "out")
    expect(exported.faults()).toEqual([])
    expect(exported.unequal()).toEqual([])
    const { rows, account, files } = exported.manifest
    expect([rows, account]).toEqual(["jsonl", null])
    expect(Object.fromEntries(files.map((file) => [file.path, file.rows]))).toEqual({
      "accounts.jsonl": 8,
      "members.jsonl": 0,
      "keys.jsonl": 1,
      "budgets.jsonl": 8,
      "balances.jsonl": 8,
      "entries.jsonl": 316,
      "receipts.jsonl": 309,
      "write_offs.jsonl": 0,
      "models.jsonl": 1,
      "settings.json": undefined as never,
    })
    expect(exported.rows("accounts").map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES))
    expect(exported.rows("balances").find(({ account }) => account === "acc_0")).toEqual({
      account: "acc_0",
      opening_balance: "0",
      closing_balance: "1.000000008",
      balance: "1.000000008",
      debt: "0",
    })
    expect(exported.rows("budgets").find(({ account }) => account === "new")).toEqual({
      account: "new",
      key: null,
      user: null,
      tag: "team=red hot",
      period: "day",
      starts_at: "2026-11-24T00:00:00.000Z",
      spent: "0",
    })
    expect(exported.rows("accounts").find(({ id }) => id === "new")?.["label_budgets"]).toEqual([
      { user: null, tag: "team=red hot", daily_budget: "5", monthly_budget: null },
    ])
    const charged = exported.rows("receipts").filter(({ charged }) => charged !== "0")
    const charges = exported.rows("entries").filter(({ kind }) => kind === "charge")
    expect(charges.map(({ request }) => request).toSorted()).toEqual(
      charged.map(({ id }) => id).toSorted(),
    )
    const authors = exported.rows("entries").map(({ author }) => author)
    expect(new Set(authors)).toEqual(new Set([null, "=me", "ada@example.com"]))
    expect(exported.rows("keys")[0]).not.toHaveProperty("secrets")
    expect(exported.text("settings.json")).not.toContain("upstream-canary")
  })

  test("includes pruned entries in the opening balances", async () => {
    const { url, installation } = await made()
    using _ = installation
    await withFilled(installation, url, async (store) => {
      await happen(store)
      await pruneAll(store, BEFORE)
    })
    const exported = await exportTo(installation, "out")
    expect(exported.unequal()).toEqual([])
    expect(exported.manifest.removed_before).toBe(new Date(BEFORE).toISOString())
    const opening = exported.rows("balances").map(({ opening_balance }) => opening_balance)
    expect(opening.every((balance) => balance !== "0")).toBe(true)
    expect(exported.rows("entries").length).toBeLessThan(20)
  })

  test("can be limited to one account and one period", async () => {
    const { url, installation } = await made()
    using _ = installation
    await withFilled(installation, url, fill)
    const day = new Date(BEFORE).toISOString().slice(0, "2026-11-01".length)
    const one = await exportTo(installation, "one", "--account", "busy")
    expect(one.unequal()).toEqual([])
    for (const table of ["accounts", "balances", "entries", "receipts", "budgets", "keys"]) {
      const accounts = one.rows(table).map((row) => row["account"] ?? row["id"])
      expect([table, ...new Set(accounts)]).toEqual([table, "busy"])
    }
    expect(readdirSync(one.folder)).not.toContain("settings.json")
    expect(readdirSync(one.folder)).not.toContain("models.jsonl")

    const before = await exportTo(installation, "before", "--account", "busy", "--until", day)
    const since = await exportTo(installation, "since", "--account", "busy", "--since", day)
    expect([before.unequal(), since.unequal()]).toEqual([[], []])
    const numbers = ({ rows }: Exported) => rows.call(one, "entries")
    expect(before.rows("entries").length + since.rows("entries").length).toBe(numbers(one).length)
    expect(before.rows("receipts").length + since.rows("receipts").length).toBe(
      one.rows("receipts").length,
    )
    expect(since.rows("entries").length).toBeGreaterThan(0)
    expect(before.rows("balances")[0]?.["closing_balance"]).toBe(
      since.rows("balances")[0]?.["opening_balance"],
    )
    expect(since.manifest.since).toBe(new Date(BEFORE).toISOString())
  })

  test("hides costs in the export of one account if the settings hide them", async () => {
    const { url, installation } = await made()
    using _ = installation
    await withFilled(installation, url, fill)
    appendFileSync(installation.config, "\nconsole: { show_costs_to: operators }\n")
    const one = await exportTo(installation, "one", "--account", "busy")
    const receipts = one.rows("receipts")
    expect(receipts.length).toBeGreaterThan(0)
    for (const { deployment, attempts } of receipts) {
      expect({ deployment, attempts }).toEqual({ deployment: null, attempts: [] })
    }
    const all = (await exportTo(installation, "all")).rows("receipts")
    expect(all.some(({ deployment }) => deployment !== null)).toBe(true)
  })

  test("reads a snapshot while callers continue to send requests", async () => {
    using vendor = startVendor(() => Response.json(wholeResponse("Hello")))
    const { installation } = await made(vendor.url)
    using _ = installation
    await runJson(installation, "account", "create", "caller", "--credits", "1")
    const created = ["key", "create", "--account", "caller", "--budget", "1"]
    const { key } = await runJson<{ key: string }>(installation, ...created)
    await using serving = await startServing(installation)
    const over = new AbortController()
    let answered = 0
    const callers = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        const response = await fetch(`${serving.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({
            model: "vendor/echo",
            messages: [{ role: "user", content: "x" }],
          }),
        })
        expect(response.status).toBe(200)
        await response.text()
        answered++
      }
    })
    await until(() => answered > 20)
    const first = answered
    const exported = await exportTo(installation, "out")
    expect(answered).toBeGreaterThan(first)
    over.abort()
    await Promise.all(callers)
    expect([exported.faults(), exported.unequal()]).toEqual([[], []])
    const charges = exported.rows("entries").filter(({ kind }) => kind === "charge")
    expect(charges.length).toBeGreaterThanOrEqual(first)
    expect(exported.rows("receipts").map(({ id }) => id)).toEqual(
      charges.map(({ request }) => request).toSorted(),
    )
    const [budget] = exported.rows("budgets")
    const [balance] = exported.rows("balances")
    expect(1 - Number(balance?.["balance"])).toBeCloseTo(Number(budget?.["spent"]), 9)
  })
})

describe("a CSV export", () => {
  test("has a column for every member and no cell with a formula", async () => {
    using installation = createInstallation(settingsOf("http://127.0.0.1:9"))
    await withFilled(installation, undefined, fill)
    const lines = await exportTo(installation, "lines", "--with-key-hashes")
    const cells = await exportTo(installation, "cells", "--with-key-hashes", "--format", "csv")
    for (const { path } of lines.manifest.files.filter(({ path }) => path.endsWith("l"))) {
      const name = path.slice(0, -".jsonl".length)
      const [head = [], ...rows] = cellsOf(cells.text(`${name}.csv`))
      const members = new Set(lines.rows(name).flatMap((row) => Object.keys(row)))
      expect([name, [...members].filter((member) => !head.includes(member))]).toEqual([name, []])
      expect([name, rows.length]).toEqual([name, lines.rows(name).length])
      expect(rows.every((row) => row.length === head.length)).toBe(true)
      const formulas = rows.flat().filter((cell) => /^[=+@＝＋－＠]|^-\D|^-\d.*[^\d.]/.test(cell))
      expect([name, formulas]).toEqual([name, []])
    }
    const names = cellsOf(cells.text("accounts.csv")).map(([, name]) => name)
    expect(names).toContain('acme, "the first"')
    expect(names).toContain("'=HYPERLINK(1)")
    expect(cells.text("entries.csv")).toContain('"two\nlines, ""quoted"""')
    expect(cells.text("entries.csv")).toContain(",-0.000000005,")
    expect(lines.rows("keys")[0]?.["secrets"]).toMatchObject([{ hash: "hash", hint: "abcd" }])
  })
})

describe("the start of an export", () => {
  test.each(["a folder", "a file", "a link", "a link to nowhere"])(
    "fails if its output already exists: %s",
    async (what) => {
      using installation = createInstallation("")
      await withFilled(installation, undefined, async (store) => store.accounts.list())
      const target = join(installation.data, "out")
      const elsewhere = join(installation.data, "elsewhere")
      if (what === "a folder") mkdirSync(target)
      if (what === "a file") writeFileSync(target, "mine")
      if (what === "a link") mkdirSync(elsewhere)
      if (what.startsWith("a link")) symlinkSync(elsewhere, target)
      const names = () => readdirSync(installation.data).filter((name) => !/-(shm|wal)$/.test(name))
      const before = names()
      const { exitCode, stderr } = await runCommand(installation, "export", `${target}/`)
      expect([exitCode, stderr]).toEqual([5, expect.stringContaining("already exists")])
      expect(names()).toEqual(before)
    },
  )

  test("does not overwrite an earlier unfinished export", async () => {
    using installation = createInstallation("")
    await withFilled(installation, undefined, async (store) => store.accounts.list())
    mkdirSync(join(installation.data, "out.part"))
    const { exitCode, stderr } = await runCommand(
      installation,
      "export",
      join(installation.data, "out"),
    )
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining("incomplete export")])
  })

  test("fails for a missing ledger or account, and for an invalid period or format", async () => {
    using installation = createInstallation("")
    const out = join(installation.data, "out")
    const none = await runCommand(installation, "export", out)
    expect([none.exitCode, none.stderr]).toEqual([4, expect.stringContaining("no ledger")])
    await withFilled(installation, undefined, async (store) => store.accounts.list())
    const nobody = await runCommand(installation, "export", out, "--account", "nobody")
    expect([nobody.exitCode, nobody.stderr]).toEqual([4, expect.stringContaining("'nobody'")])
    const wrong = [
      ["--since", "yesterday"],
      ["--since", "2026-11-24T10:00"],
      ["--since", "2026-11-31"],
      ["--since", "2026-11-02", "--until", "2026-11-02"],
      ["--format", "xml"],
    ]
    for (const words of wrong) {
      const { exitCode, stderr } = await runCommand(installation, "export", out, ...words)
      expect([words, exitCode, stderr]).toEqual([words, 2, expect.stringContaining(words[0]!)])
    }
    expect(readdirSync(installation.data).filter((name) => name.startsWith("out"))).toEqual([])
  })
})

describe("a failed export", () => {
  /** Returns the files that a failed export has left. */
  const left = ({ data }: Installation) =>
    readdirSync(data).filter((name) => name.startsWith("out"))

  test.skipIf(process.platform !== "linux")("leaves no files on a full disk", async () => {
    using installation = createInstallation("")
    await withFilled(installation, undefined, happen)
    const words = ["--data", installation.data, "export", join(installation.data, "out")]
    const child = Bun.spawn(["prlimit", "--fsize=40000", ...PROGRAM_WORDS, ...words], {
      env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
      stderr: "pipe",
    })
    const text = await new Response(child.stderr).text()
    expect([await child.exited, text]).toEqual([1, expect.stringContaining("disk is full")])
    expect(text).toContain("The incomplete export was removed")
    expect(left(installation)).toEqual([])
  })

  test("leaves no files if the ledger is damaged", async () => {
    using installation = createInstallation("")
    await withFilled(installation, undefined, happen)
    using file = new Database(join(installation.data, "tollgate.db"))
    file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()
    truncateSync(join(installation.data, "tollgate.db"), 150_000)
    const { exitCode, stderr } = await runCommand(
      installation,
      "export",
      join(installation.data, "out"),
    )
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("damaged")])
    expect(left(installation)).toEqual([])
  })

  test("leaves no files if the ledger's totals are incorrect", async () => {
    using installation = createInstallation("")
    await withFilled(installation, undefined, happen)
    using file = new Database(join(installation.data, "tollgate.db"))
    file.run("UPDATE balances SET posted = posted + 1 WHERE owner = 'busy'")
    const { exitCode, stderr } = await runCommand(
      installation,
      "export",
      join(installation.data, "out"),
    )
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("busy come to")])
    expect(left(installation)).toEqual([])
  })

  test.each([
    ["number = 7 AND account = 'busy'", "damaged: malformed JSON"],
    ["number IS NULL", "was modified"],
  ])("leaves no files if a receipt was changed for %s", async (where, words) => {
    using installation = createInstallation("")
    await withFilled(installation, undefined, happen)
    using file = new Database(join(installation.data, "tollgate.db"))
    file.run(`UPDATE entries SET receipt = '{' WHERE ${where}`)
    const { exitCode, stderr } = await runCommand(
      installation,
      "export",
      join(installation.data, "out"),
    )
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)])
    expect(left(installation)).toEqual([])
  })

  test("leaves no files if the database becomes unavailable or the user stops the command", async () => {
    const url = await migratedDatabase()
    using installation = createInstallation(settingsOf("http://127.0.0.1:9", url))
    await withFilled(installation, url, happen)
    await using sql = new SQL(url, { max: 2 })
    // The export waits when it reads receipts, until its connection is cut.
    const connection = await sql.reserve()
    await connection.unsafe("BEGIN; LOCK TABLE receipts IN ACCESS EXCLUSIVE MODE").simple()
    const out = join(installation.data, "out")
    const cut = WAITING.replace("pid", "pg_terminate_backend(pid)")
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const child = Bun.spawn([...PROGRAM_WORDS, "--config", installation.config, "export", out], {
        env: cleanEnvironment(),
        stderr: "pipe",
      })
      await until(async () => (await sql.unsafe<unknown[]>(WAITING)).length > 0)
      child.kill(signal)
      expect(await child.exited).toBe(signal === "SIGINT" ? 130 : 143)
      expect(left(installation)).toEqual([])
      // Without help, a server does not notice that a client has stopped waiting for a lock.
      await until(async () => (await sql.unsafe<unknown[]>(cut)).length === 0)
    }
    const running = runCommand(installation, "export", out)
    await until(async () => (await sql.unsafe<unknown[]>(cut)).length > 0)
    const { exitCode, stderr } = await running
    await connection.unsafe("ROLLBACK")
    await connection.release()
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("cannot be used")])
    expect(left(installation)).toEqual([])
  })
})

test("the export command exports the data of a gateway that was killed", async () => {
  using vendor = startVendor(() => Response.json(wholeResponse("Hello")))
  using installation = createInstallation(settingsOf(vendor.url))
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  const created = ["key", "create", "--account", "caller"]
  const { key } = await runJson<{ key: string }>(installation, ...created)
  await using serving = await startServing(installation)
  const response = await fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "vendor/echo", messages: [{ role: "user", content: "x" }] }),
  })
  expect(await response.text()).toContain("Hello")
  serving.process.kill("SIGKILL")
  await serving.process.exited
  const exported = await exportTo(installation, "out")
  expect([exported.faults(), exported.unequal()]).toEqual([[], []])
  expect(exported.rows("receipts")).toHaveLength(1)
})

test("the export command prints the manifest and the folder", async () => {
  using installation = createInstallation("")
  await withFilled(installation, undefined, async (store) => store.accounts.list())
  const folder = join(installation.data, "new", "out")
  const said = await runJson<Manifest & { folder: string }>(installation, "export", folder)
  expect(said).toEqual({ folder, ...new Exported(folder).manifest })
  const { stdout } = await runCommand(installation, "export", join(installation.data, "more"))
  expect(stdout).toContain("0 in accounts.jsonl")
})
