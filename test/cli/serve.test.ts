import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { helloUntil, startVendor } from "../relay/scripted-vendor.ts"
import { readUntil } from "../relay/support.ts"
import { sampleOf } from "../support/exhaustive.ts"
import {
  createInstallation,
  type Installation,
  runCommand,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { polledTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const yamlFor = (url: string, input = 1) => `
server: { port: 0 }
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${url}" }
models:
  sim/echo: { price: { input: ${input}, output: 2 }, context: 100000, max_output: 1000 }
`

interface Caller {
  readonly id: string
  readonly key: string
}

async function createCaller(installation: Installation): Promise<Caller> {
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  return runJson<Caller>(installation, "key", "create", "--account", "caller")
}

function chat(serving: ServingProcess, key: string, body: object = {}): Promise<Response> {
  return fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      connection: "close",
    },
    body: JSON.stringify({
      model: "sim/echo",
      messages: [{ role: "user", content: "Hello" }],
      ...body,
    }),
  })
}

async function statusOf(serving: ServingProcess, key: string): Promise<number> {
  const response = await chat(serving, key)
  await response.text()
  return response.status
}

async function inputPrice(serving: ServingProcess, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${serving.url}/v1/models/sim/echo`, { headers })
  return ((await response.json()) as { pricing: { input: string } }).pricing.input
}

describe("a running gateway", () => {
  let installation: Installation
  let serving: ServingProcess
  let caller: Caller

  beforeAll(async () => {
    installation = createInstallation(yamlFor(`${simulator.url}/v1`))
    caller = await createCaller(installation)
    serving = await startServing(installation)
  })

  afterAll(async () => {
    await serving[Symbol.asyncDispose]()
    installation[Symbol.dispose]()
  })

  test("accepts a new key and rejects a revoked one within a second", async () => {
    const fresh = await runJson<Caller>(installation, "key", "create", "--account", "caller")
    const accepted = async () => (await statusOf(serving, fresh.key)) === 200
    expect(await polledTime(accepted, 1_000)).toBeLessThan(1_000)
    await runJson(installation, "key", "revoke", fresh.id)
    const rejected = async () => (await statusOf(serving, fresh.key)) === 401
    expect(await polledTime(rejected, 1_000)).toBeLessThan(1_000)
    expect(await statusOf(serving, caller.key)).toBe(200)
  })

  test("accepts a rotated key immediately, and the old secret until the grace period ends", async () => {
    const old = await runJson<Caller>(installation, "key", "create", "--account", "caller")
    const rotated = (grace: string) =>
      runJson<Caller & { readonly grace_until: readonly string[] }>(
        installation,
        "key",
        "rotate",
        old.id,
        "--grace",
        grace,
      )
    const second = await rotated("1h")
    expect(second.id).toBe(old.id)
    const accepted = async () => (await statusOf(serving, second.key)) === 200
    expect(await polledTime(accepted, 1_000)).toBeLessThan(1_000)
    expect(await statusOf(serving, old.key)).toBe(200)
    const fresh = await rotated("1s")
    await until(async () => (await statusOf(serving, second.key)) === 401)
    expect(Date.now()).toBeGreaterThanOrEqual(Math.min(...fresh.grace_until.map(Date.parse)))
    expect(await statusOf(serving, fresh.key)).toBe(200)
  })

  test("accepts requests with newly granted credits", async () => {
    await runJson(installation, "account", "create", "late")
    const late = await runJson<Caller>(installation, "key", "create", "--account", "late")
    await until(async () => (await statusOf(serving, late.key)) === 402)
    await runJson(installation, "credits", "grant", "late", "1")
    expect(await statusOf(serving, late.key)).toBe(200)
  })

  test("loads a changed file with and without SIGHUP, and reports an invalid file and ignores it", async () => {
    writeFileSync(installation.config, yamlFor(`${simulator.url}/v1`, 5))
    await until(async () => (await inputPrice(serving, caller.key)) === "5")
    await until(() => serving.errors().includes("models.sim/echo"))

    writeFileSync(installation.config, "models: { sim/echo: { price: lots } }\n")
    await until(() => serving.errors().includes("settings_rejected"))
    await until(() => serving.errors().includes(`${installation.config}:1`))
    expect(await inputPrice(serving, caller.key)).toBe("5")
    expect(await statusOf(serving, caller.key)).toBe(200)

    writeFileSync(installation.config, yamlFor(`${simulator.url}/v1`, 7))
    serving.process.kill("SIGHUP")
    await until(async () => (await inputPrice(serving, caller.key)) === "7")

    rmSync(installation.config)
    serving.process.kill("SIGHUP")
    await until(() => serving.errors().includes("was deleted"))
    expect(await inputPrice(serving, caller.key)).toBe("7")
  })
})

/** Starts a vendor whose stream sends a word, and ends when the test allows it. */
function startPausing() {
  const gate = Promise.withResolvers<void>()
  const vendor = startVendor(() => {
    return helloUntil(gate.promise)
  })
  return { vendor, end: () => gate.resolve() }
}

for (const workers of sampleOf(["1", "2"], 2, 1)) {
  test(`a gateway completes and charges a running stream after SIGTERM, ${workers} worker(s)`, async () => {
    const { vendor, end } = startPausing()
    using _ = vendor
    using installation = createInstallation(yamlFor(vendor.url))
    const { key } = await createCaller(installation)
    const serving = await startServing(installation, { TOLLGATE_WORKERS: workers })
    const response = await chat(serving, key, { stream: true })
    const reader = response.body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes("Hello"))
    serving.process.kill("SIGTERM")
    await until(() =>
      fetch(`${serving.url}/healthz`, { keepalive: false }).then(
        () => false,
        () => true,
      ),
    )
    expect(serving.process.exitCode).toBeNull()
    end()
    await readUntil(reader, (text) => text.includes("[DONE]"))
    expect(await serving.process.exited).toBe(0)
    expect(serving.errors()).toContain("Finishing running requests")
    const id = response.headers.get("x-request-id") ?? ""
    const receipt = await runJson<{ status: string; charged: string }>(installation, "receipt", id)
    expect(receipt).toMatchObject({ status: "settled", charged: "0.000012" })
  })
}

function nodesOf(installation: Installation): number[] {
  using database = new Database(databaseFileIn(installation.data), { readonly: true })
  database.run("PRAGMA busy_timeout = 5000")
  const query = database.query<{ process: number }, []>("SELECT process FROM nodes")
  return query.all().map((node) => node.process)
}

describe("several workers", () => {
  test("share one port, and a worker that exits is replaced", async () => {
    using installation = createInstallation(yamlFor(`${simulator.url}/v1`))
    const { key } = await createCaller(installation)
    await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
    const before = nodesOf(installation)
    expect(before).toHaveLength(2)
    const statuses = await Promise.all(Array.from({ length: 40 }, () => statusOf(serving, key)))
    expect(statuses).toEqual(Array.from({ length: 40 }, () => 200))

    const [victim = 0, survivor = 0] = before
    process.kill(victim, "SIGKILL")
    await until(() => {
      const now = nodesOf(installation)
      return now.length === 2 && now.includes(survivor) && !now.includes(victim)
    })
    expect(await statusOf(serving, key)).toBe(200)
    serving.process.kill("SIGTERM")
    expect(await serving.process.exited).toBe(0)
    expect(nodesOf(installation)).toEqual([])
    const { exitCode, stdout } = await runCommand(installation, "doctor")
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
  })
})
