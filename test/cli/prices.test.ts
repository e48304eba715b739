import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { publicText, writeFeed } from "../../src/catalog/prices/feed.ts"
import builtIn from "../../src/catalog/facts.json"
import {
  createInstallation,
  type Installation,
  runCommand,
  runJson,
  startServing,
  type ServingProcess,
} from "../support/process.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { until } from "../support/until.ts"

const { privateKey } = generateKeyPairSync("ed25519")
let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})
afterAll(() => simulator.stop())

const dayAfter = (days: number): string =>
  new Date(Date.parse(builtIn.date) + days * 86_400_000).toISOString().slice(0, 10)

/** Returns a price list with one additional OpenAI model, which the simulator provides. */
function feed(date: string, output: string, key = privateKey): string {
  const echo = { kind: "chat", context: 1_000, max_output: 100, price: { input: "1", output } }
  const vendors = { ...builtIn.vendors, openai: { ...builtIn.vendors.openai, echo } }
  return writeFeed(JSON.stringify({ ...builtIn, date, vendors }), key)
}

function install(): Installation {
  return createInstallation(`
server: { port: 0 }
prices: { keys: ["${publicText(privateKey)}"] }
providers:
  openai: { vendor: openai, api_key: x, base_url: "${simulator.url}/v1" }
`)
}

function written(installation: Installation, text: string): string {
  const path = join(installation.data, "prices.json")
  writeFileSync(path, text)
  return path
}

/**
 * Sends a chat on a new connection. Commands of the CLI run in this process, and the gateway may close an idle
 * connection meanwhile.
 */
async function chat(serving: ServingProcess, key: string): Promise<Response> {
  return fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      connection: "close",
    },
    body: JSON.stringify({ model: "openai/echo", messages: [{ role: "user", content: "Hi" }] }),
  })
}

interface Receipt {
  readonly cost: string
  readonly lines: readonly { readonly class: string; readonly rate: string }[]
}

async function receipt(serving: ServingProcess, key: string, id: string): Promise<Receipt> {
  const url = `${serving.url}/v1/receipts/${id}`
  return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json() as never
}

describe("the prices command", () => {
  test("shows the active prices, accepts newer lists, and rejects untrusted and older lists", async () => {
    using installation = install()
    const status = () => runJson<Record<string, unknown>>(installation, "prices", "status")
    expect(await status()).toMatchObject({ date: builtIn.date, source: "built in", pending: null })
    const update = (text: string) =>
      runCommand(installation, "prices", "update", "--from", written(installation, text))
    const foreign = await update(feed(dayAfter(1), "2", generateKeyPairSync("ed25519").privateKey))
    expect(foreign).toMatchObject({ exitCode: 1, stdout: "" })
    expect(foreign.stderr).toContain("not trusted here")
    const broken = await update(feed(dayAfter(1), "2").replace("gpt-4o-mini", "gpt-4o-minj"))
    expect(broken.stderr).toContain("its signature is wrong")
    const old = await update(feed(dayAfter(-1), "2"))
    expect(old).toMatchObject({ exitCode: 5 })
    expect(old.stderr).toContain(`is older than the active one of ${builtIn.date}`)
    expect(await status()).toMatchObject({ date: builtIn.date })

    const none = await runCommand(installation, "prices", "update")
    expect(none).toMatchObject({ exitCode: 4, stdout: "" })
    expect(none.stderr).toContain("There is no pending price list")
    const path = written(installation, feed(builtIn.date, "2"))
    const diff = await runCommand(installation, "prices", "diff", "--from", path)
    expect(diff.stdout).toMatch(/openai\/echo +input +- +1 +added/)
    expect(diff.stdout).toContain("1 added")
    expect(await status()).toMatchObject({ date: builtIn.date, source: "built in" })

    const taken = await update(feed(dayAfter(1), "2"))
    expect(taken.stdout).toContain(`The prices of ${dayAfter(1)} are active: 1 added`)
    expect(await status()).toMatchObject({ date: dayAfter(1), built_in: builtIn.date })
    const { models } = await runJson<{ models: { id: string }[] }>(installation, "models")
    expect(models.map(({ id }) => id)).toContain("openai/echo")
    expect((await update(feed(dayAfter(1), "2"))).stdout).toContain("changes nothing")
  })

  test("lists future changes by date, and recurring weekly changes", async () => {
    using none = createInstallation(`
providers:
  openai: { vendor: openai, api_key: x, known_models: false }
`)
    const empty = await runCommand(none, "prices", "upcoming")
    expect(empty.stdout).toContain("No price changes are known.")
    using installation = createInstallation(`
server: { port: 0 }
providers:
  deepseek: { vendor: deepseek, api_key: x }
models:
  deepseek/own:
    deployments: [{ model: deepseek-flash }]
    price: { input: 1, output: 2, periods: [{ name: later, from: 2999-01-01, output: 5 }] }
`)
    const { changes } = await runJson<{ changes: Record<string, unknown>[] }>(
      installation,
      "prices",
      "upcoming",
    )
    const own = {
      model: "deepseek/own",
      at: "2999-01-01T00:00:00.000Z",
      is_recurring: false,
      period: "later",
      parts: [{ name: "output", before: "2", after: "5" }],
    }
    expect(changes.at(-1)).toEqual(own)
    expect(
      changes
        .slice(0, -1)
        .map(({ model }) => model)
        .toSorted(),
    ).toEqual(["deepseek/deepseek-flash", "deepseek/deepseek-v4-pro"])
    expect(changes[0]).toMatchObject({ is_recurring: true })
    const { stdout } = await runCommand(installation, "prices", "upcoming")
    expect(stdout).toMatch(/2999-01-01 +deepseek\/own +output +2 +5 +\+150 % +later/)
    expect(stdout).toMatch(/UTC, weekly +deepseek\/deepseek-flash +input +/)
  })

  test("makes a running gateway charge new prices, and the audit log records the user", async () => {
    using installation = install()
    await using first = await startServing(installation)
    await using second = await startServing(installation)
    const { key } = await runJson<{ key: string }>(
      installation,
      "key",
      "create",
      "--account",
      "demo",
    )
    using server = Bun.serve({ port: 0, fetch: () => new Response(feed(builtIn.date, "2")) })
    expect((await chat(first, key)).status).toBe(404)
    await runJson(
      installation,
      "prices",
      "update",
      "--from",
      `http://127.0.0.1:${server.port}/list`,
    )
    await until(async () => (await chat(first, key)).status === 200)
    await until(async () => (await chat(second, key)).status === 200)
    const before = (await chat(first, key)).headers.get("x-request-id") ?? ""
    const charged = await receipt(first, key, before)
    await runJson(
      installation,
      "prices",
      "update",
      "--from",
      written(installation, feed(dayAfter(1), "4")),
    )
    await until(async () => {
      const id = (await chat(second, key)).headers.get("x-request-id") ?? ""
      return JSON.stringify(await receipt(second, key, id)).includes('"4"')
    })
    expect(await receipt(first, key, before)).toEqual(charged)
    expect(JSON.stringify(charged)).toContain('"2"')
    await using store = await databaseOf({ data: installation.data }).openStore()
    const records = await store.audit.list({}, null, 10)
    expect(records.filter(({ action }) => action === "prices.apply")).toMatchObject([
      { target: dayAfter(1), actorName: "command line" },
      { target: builtIn.date, before: JSON.stringify({ date: builtIn.date }) },
    ])
  })
})
