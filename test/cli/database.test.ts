import { afterAll, beforeAll, expect, test } from "bun:test"
import type { DatabaseStatus } from "../../src/store/database-status.ts"
import { databaseAt, databaseOf } from "../../src/store/installation-database.ts"
import { startVendor, streamed, WHOLE_STREAM } from "../relay/scripted-vendor.ts"
import { migratedDatabase } from "../support/postgres-databases.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import { createInstallation, runCommand, runJson, startServing } from "../support/process.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

interface Diagnosis {
  readonly checks: readonly { name: string; result: string; found: string; fix?: string }[]
}

function statusOf(url: string): Promise<DatabaseStatus> {
  return databaseAt({ engine: "postgresql", url, connections: 4 }).status()
}

const yamlAt = (url: string, more = "") => `database: { url: "${url}"${more} }\n`

test.concurrent("the status command changes nothing, and the migrate command creates the tables once", async () => {
  const url = server.url(await server.create())
  using installation = createInstallation(yamlAt(url))
  const before = await runJson<DatabaseStatus>(installation, "database", "status")
  const { known } = before.schema
  expect(before).toMatchObject({ engine: "PostgreSQL", parts: [], nodes: null })
  expect(before.schema).toMatchObject({ found: 0, fault: expect.stringContaining("migrate") })
  expect(JSON.stringify(before)).not.toContain("not-a-secret")

  const first = await runJson(installation, "database", "migrate")
  expect(first).toMatchObject({ place: before.place, before: 0, after: known })
  const again = await runCommand(installation, "database", "migrate")
  expect(again.stdout).toContain("nothing to do")

  const after = await statusOf(url)
  expect(after.schema).toEqual({ found: known, known, fault: null })
  expect(after.nodes).toEqual([])
  expect(after.server?.daysAhead).toBeGreaterThanOrEqual(7)
  expect(after.parts.find(({ name }) => name === "receipts")?.partitions).toBeGreaterThan(7)
  const words = await runCommand(installation, "database", "status")
  expect(words.stdout).toMatch(/engine: +PostgreSQL \d+/)
})

test.concurrent("the status and migrate commands support a data folder", async () => {
  using installation = createInstallation("")
  const database = databaseOf(installation)
  const before = await database.status()
  expect(before).toMatchObject({ engine: "SQLite", schema: { found: 0 }, parts: [], nodes: null })
  await runJson(installation, "database", "migrate")
  const after = await database.status()
  expect(after).toMatchObject({ schema: { found: before.schema.known, fault: null }, nodes: [] })
  expect(after.parts.map(({ name }) => name).toSorted()).toEqual(["console.db", "tollgate.db"])
})

for (const encoding of ["LATIN1", "SQL_ASCII"]) {
  test.concurrent(`the database command rejects the encoding ${encoding}, and changes nothing`, async () => {
    const name = `of_${encoding.toLowerCase()}`
    await server.administer(
      `CREATE DATABASE ${name} ENCODING '${encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
    )
    const url = server.url(name)
    using installation = createInstallation(`server: { port: 0 }\n${yamlAt(url)}`)
    for (const command of [["serve"], ["account", "create", "Zoë 日本"], ["database", "migrate"]]) {
      const { exitCode, stderr } = await runCommand(installation, ...command)
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain(`encoding ${encoding}, and Tollgate needs UTF8`)
      expect(stderr).toContain("CREATE DATABASE tollgate ENCODING 'UTF8'")
    }
    expect(await statusOf(url)).toMatchObject({ schema: { found: 0 }, server: { encoding } })
    const check = (await diagnose(yamlAt(url))).find(({ name }) => name === "database encoding")
    expect(check).toMatchObject({ result: "failed", fix: expect.stringContaining("UTF8") })
  })
}

async function diagnose(yaml: string): Promise<Diagnosis["checks"]> {
  using installation = createInstallation(yaml)
  const { stdout } = await runCommand(installation, "--json", "doctor")
  return (JSON.parse(stdout) as Diagnosis).checks.filter(({ name }) => name.startsWith("database"))
}

test.concurrent("the doctor command checks the database server without creating anything", async () => {
  const url = server.url(await server.create())
  using installation = createInstallation(yamlAt(url))
  const results = (checks: Diagnosis["checks"]) =>
    checks.map(({ name, result }) => `${name}: ${result}`)
  expect(results(await diagnose(yamlAt(url)))).toEqual([
    // The test server does not have to survive a crash of the machine, so its settings cause a warning.
    "database server: warning",
    "database encoding: ok",
    "database connection: ok",
    "database clock: ok",
    "database: ok",
  ])
  expect((await statusOf(url)).schema.found).toBe(0)

  await runJson(installation, "account", "create", "caller")
  const checks = await diagnose(yamlAt(url))
  expect(results(checks).slice(4)).toEqual(["database partitions: ok", "database: ok"])
  expect(checks[0]?.found).toContain("fsync = off")
})

test.concurrent("a node with a different secret does not start, and reports an error", async () => {
  const url = await migratedDatabase()
  using installation = createInstallation(yamlAt(url))
  await runJson(installation, "account", "create", "caller")
  const other = yamlAt(url, `, secret: "${"0123456789abcdef".repeat(4)}"`)
  const checks = await diagnose(other)
  expect(checks.at(-1)).toMatchObject({
    result: "failed",
    found: expect.stringContaining("was written with another secret"),
    fix: expect.stringContaining("TOLLGATE_SECRET"),
  })
  using stranger = createInstallation(`server: { port: 0 }\n${other}`)
  const serving = await runCommand(stranger, "serve")
  expect(serving.exitCode).toBe(4)
  expect(serving.stderr).toContain("set TOLLGATE_SECRET as it was at the first start")
})

test.concurrent("nodes that start simultaneously on an empty database migrate it once", async () => {
  const url = server.url(await server.create())
  using installation = createInstallation(`server: { port: 0 }\n${yamlAt(url)}`)
  const others = [1, 2].map(() => createInstallation(`server: { port: 0 }\n${yamlAt(url)}`))
  try {
    const nodes = await Promise.all([installation, ...others].map((each) => startServing(each)))
    // The first key is shown only once.
    expect(nodes.filter((node) => node.output().includes("only its hash is stored"))).toHaveLength(
      1,
    )
    const status = await statusOf(url)
    expect(status.nodes).toHaveLength(3)
    expect(status.schema.fault).toBeNull()
    const { accounts } = await runJson<{ accounts: number }>(installation, "ledger", "verify")
    for (const node of nodes) node.process.kill("SIGTERM")
    expect(await Promise.all(nodes.map(({ process }) => process.exited))).toEqual([0, 0, 0])
    expect(accounts).toBe(1)
    expect((await statusOf(url)).nodes).toEqual([])
  } finally {
    for (const other of others) other[Symbol.dispose]()
  }
})

test.concurrent("a gateway that moves to a database server keeps its keys and receipts", async () => {
  using vendor = startVendor(() => streamed([WHOLE_STREAM]))
  const yaml = `
server: { port: 0 }
providers:
  vendor: { vendor: openai-compatible, api_key: upstream, base_url: "${vendor.url}" }
models:
  vendor/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`
  const url = server.url(await server.create())
  using before = createInstallation(yaml)
  using after = createInstallation(
    `${yaml}database: { url: "${url}", secret: "${"0123456789abcdef".repeat(4)}" }\n`,
  )
  await runJson(before, "account", "create", "caller", "--credits", "1")
  const { key } = await runJson<{ key: string }>(before, "key", "create", "--account", "caller")
  const chat = async (at: string): Promise<string> => {
    const response = await fetch(`${at}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "vendor/echo",
        stream: true,
        messages: [{ role: "user", content: "Hello" }],
      }),
    })
    return response.text()
  }
  const copying = ["database", "copy", "--from", `sqlite:${before.data}`, "--to", "postgres"]
  {
    await using serving = await startServing(before)
    expect(await chat(serving.url)).toContain("[DONE]")
    const rejected = await runCommand(after, ...copying)
    expect(rejected.exitCode).toBe(1)
    expect(rejected.stderr).toContain("a gateway is running on")
  }
  const copied = await runJson(after, ...copying)
  expect(copied).toMatchObject({ accounts: 1, entries: 2, copied: { keys: 1, entries: 2 } })
  await using moved = await startServing(after)
  expect(await chat(moved.url)).toContain("[DONE]")
})

test.concurrent("on a database server, verification resumes at the last position, and backups are recorded", async () => {
  const url = await migratedDatabase()
  using installation = createInstallation(yamlAt(url))
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  await runJson(installation, "key", "create", "--account", "caller")
  const verify = () => runJson(installation, "ledger", "verify", "--continue")
  expect(await verify()).toMatchObject({ entries: 1, continued_from: null })
  await runJson(installation, "credits", "grant", "caller", "1")
  expect(await verify()).toMatchObject({ entries: 1, continued_from: { entries: 1 } })
  await runJson(installation, "backup", "dump of the night", "--record", "--every", "24h")
  const { stdout } = await runCommand(installation, "--json", "doctor")
  const { checks } = JSON.parse(stdout) as Diagnosis
  expect(checks.find(({ name }) => name === "backup")).toMatchObject({
    result: "ok",
    found: expect.stringMatching(/at dump of the night; one is expected every 1d$/),
  })
})
