import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { openJournal } from "../../src/store/installation-journal.ts"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { until } from "../support/until.ts"
import { createInstallation, runCommand, runJson, startServing } from "../support/process.ts"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const SECRET = "sk-rejected"

interface Diagnosis {
  readonly healthy: boolean
  readonly checks: readonly { name: string; result: string; found: string; fix?: string }[]
}

interface Options {
  readonly apiKey?: string
  readonly url?: string
  readonly models?: string
}

/** Returns settings with one provider and with the additions of a test. */
function yamlFor({ apiKey = "upstream", url = simulator.url, models = "" }: Options): string {
  return `
providers:
  sim: { vendor: openai-compatible, api_key: ${apiKey}, base_url: "${url}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 } }
${models}`
}

async function diagnose(
  yaml: string,
  damage?: (data: string) => Promise<void>,
): Promise<{ exitCode: number; words: string; diagnosis: Diagnosis }> {
  using installation = createInstallation(yaml)
  await damage?.(installation.data)
  const [plain, json] = await Promise.all([
    runCommand(installation, "doctor"),
    runCommand(installation, "doctor", "--json"),
  ])
  expect(json.exitCode).toBe(plain.exitCode)
  const words = plain.stdout + plain.stderr
  expect(words).not.toContain(SECRET)
  return {
    exitCode: plain.exitCode,
    words,
    diagnosis: JSON.parse(json.stdout) as Diagnosis,
  }
}

const checkOf = ({ checks }: Diagnosis, name: string) =>
  checks.find((check) => check.name === name) ?? { result: "none", found: "", fix: "" }

test.concurrent("doctor reports a healthy installation", async () => {
  const { exitCode, words, diagnosis } = await diagnose(yamlFor({}))
  expect(exitCode).toBe(0)
  expect(diagnosis.healthy).toBe(true)
  expect(diagnosis.checks.map(({ name, result }) => `${name}: ${result}`)).toEqual([
    "settings: ok",
    "data directory: ok",
    "database: ok",
    "clock: ok",
    "provider sim: ok",
    "prices: ok",
    "known prices: ok",
  ])
  expect(words).not.toContain("To fix")
})

test.concurrent("doctor reports a journal whose charges are not yet in the database", async () => {
  const { exitCode, diagnosis } = await diagnose(yamlFor({}), async (data) => {
    await using journal = await openJournal(data)
    await journal.lines.add({ node: "dead", bodies: ["{}", "{}"], done: [] })
    await journal.lines.reject(2, "out of range")
  })
  expect(exitCode).toBe(0)
  expect(checkOf(diagnosis, "journal")).toMatchObject({
    result: "warning",
    found: expect.stringMatching(/^1 charges are pending .* since .*; it has rejected 1$/),
  })
})

test.concurrent("doctor reports a credential that the provider rejects", async () => {
  const { exitCode, words, diagnosis } = await diagnose(yamlFor({ apiKey: SECRET }))
  expect(exitCode).toBe(6)
  const { result, found, fix } = checkOf(diagnosis, "provider sim")
  expect({ result, found }).toEqual({
    result: "failed",
    found: "it rejects the credential (401)",
  })
  expect(fix).toContain("api_key")
  expect(words).toContain("error: 1 of 7 checks failed")
})

test.concurrent("doctor warns about a provider that cannot be reached", async () => {
  const { exitCode, words, diagnosis } = await diagnose(yamlFor({ url: "http://127.0.0.1:1" }))
  expect(exitCode).toBe(0)
  expect(checkOf(diagnosis, "provider sim")).toMatchObject({ result: "warning" })
  expect(words).toContain("To fix:")
})

test.concurrent("doctor reports a model without a price", async () => {
  const models = "  sim/dear: { kind: chat }\n"
  const { exitCode, diagnosis } = await diagnose(yamlFor({ models }))
  expect(exitCode).toBe(0)
  expect(checkOf(diagnosis, "prices")).toMatchObject({ result: "warning" })
  expect(checkOf(diagnosis, "prices").fix).toContain("sim/dear")
})

test.concurrent("doctor warns if no provider is configured", async () => {
  const { exitCode, diagnosis } = await diagnose("multiplier: 1\n")
  expect(exitCode).toBe(0)
  expect(checkOf(diagnosis, "providers").result).toBe("warning")
})

const DAMAGES: readonly [string, string][] = [
  ["an amount", "UPDATE entries SET amount = amount + 1 WHERE kind = 'grant'"],
  ["a balance", "UPDATE balances SET posted = posted + 1"],
  ["a removed entry", "DELETE FROM entries WHERE number = 1"],
]

for (const [name, statement] of DAMAGES) {
  test.concurrent(`doctor detects a ledger with a modified ${name}`, async () => {
    const { exitCode, words, diagnosis } = await diagnose(yamlFor({}), async (data) => {
      const installation = { data, config: `${data}/tollgate.yaml`, [Symbol.dispose]() {} }
      await runJson(installation, "account", "create", "one", "--credits", "5")
      await runJson(installation, "credits", "grant", "one", "2")
      using database = new Database(databaseFileIn(data))
      database.run("PRAGMA busy_timeout = 5000")
      database.run(statement)
    })
    expect(exitCode).toBe(6)
    expect(checkOf(diagnosis, "database").result).toBe("failed")
    expect(words).toContain("To fix:")
  })
}

test.concurrent("doctor reports an invalid database file", async () => {
  const { exitCode, diagnosis } = await diagnose(yamlFor({}), async (data) => {
    await Bun.write(databaseFileIn(data), "this is not a database at all\n".repeat(100))
  })
  expect(exitCode).toBe(6)
  expect(checkOf(diagnosis, "database").result).toBe("failed")
})

test.concurrent("doctor reports invalid settings with their line, and skips all other checks", async () => {
  const { exitCode, diagnosis } = await diagnose("multiplier: 1\nprovidrs: {}\n")
  expect(exitCode).toBe(6)
  expect(diagnosis.checks).toHaveLength(1)
  expect(diagnosis.checks[0]?.found).toContain("line 2")
})

test.concurrent("doctor reports a ledger of an older version without migrating it", async () => {
  using installation = createInstallation(yamlFor({}))
  using database = new Database(databaseFileIn(installation.data), { create: true })
  database.run("CREATE TABLE old (id TEXT)")
  const { exitCode, stdout, stderr } = await runCommand(installation, "doctor")
  await runCommand(installation, "models")
  await runCommand(installation, "connect", "codex")
  expect(database.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "old" }])
  expect(exitCode).toBe(6)
  expect(stdout + stderr).toContain("written by an older Tollgate")
  expect(stdout + stderr).toContain("with the version of Tollgate that serves")
})

test.concurrent("the doctor, serve and models commands report the same problems in settings", async () => {
  using installation = createInstallation(`server: { port: 0 }
stripe: { secret_key: sk_x, webhook_secret: whsec_x, currency: cny }
providers:
  idle: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" }
  openai: { vendor: openai, api_key: upstream, base_url: "${simulator.url}/v1" }
models:
  pool/x: { price: { input: 1, output: 1 }, deployments: [{ provider: openai, model: x }] }
  gone/y: { price: { input: 1, output: 1 } }
`)
  const words = [
    "provider idle: has no models",
    "model gone/y: provider 'gone' is not set up",
    "1 CNY",
  ]
  const doctor = await runJson<Diagnosis>(installation, "doctor")
  const warnings = doctor.checks.filter(({ name }) => name.startsWith("settings, "))
  expect(warnings.map(({ name }) => name).toSorted()).toEqual([
    "settings, model gone/y",
    "settings, provider idle",
    "settings, stripe.currency",
  ])
  expect(warnings.every(({ result, fix }) => result === "warning" && fix !== undefined)).toBe(true)
  const models = await runCommand(installation, "models")
  expect(models.stdout).toContain("provider idle: has no models")
  await using serving = await startServing(installation)
  expect(serving.output()).toContain("provider idle: has no models")
  await until(() => words.every((text) => serving.errors().includes(text)))
})

test.concurrent("the models command names a provider without models", async () => {
  using installation = createInstallation(
    `providers: { own: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" } }\n`,
  )
  const { stdout } = await runCommand(installation, "models")
  expect(stdout).toContain("No model can be called.\nprovider own: has no models")
  const { checks } = await runJson<Diagnosis>(installation, "doctor")
  expect(checks).toContainEqual({ name: "prices", result: "ok", found: "there are no models yet" })
})

test.concurrent("doctor names a model whose provider is missing, even if no provider is configured", async () => {
  using installation = createInstallation(
    "models: { gone/y: { price: { input: 1, output: 1 } } }\n",
  )
  const { checks } = await runJson<Diagnosis>(installation, "doctor")
  const found = "provider 'gone' is not set up"
  expect(checks).toContainEqual(
    expect.objectContaining({ name: "settings, model gone/y", result: "warning", found }),
  )
})
