import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { runCli } from "../../src/cli/program.ts"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { migratedDatabase } from "../support/postgres-databases.ts"
import { createInstallation, type Installation, runJson, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"
import type { ListedRequest } from "../../src/cli/requests.ts"
import { FakeTerminal } from "./fake-terminal.ts"

const ENGINES = {
  SQLite: async () => "",
  PostgreSQL: async () => `database: { url: "${await migratedDatabase()}" }\n`,
} as const

describe.each(Object.entries(ENGINES))("requests on %s", (_engine, database) => {
  let simulator: Simulator
  let installation: Installation

  async function run(...words: string[]) {
    const terminal = new FakeTerminal()
    const { config, data } = installation
    const line = ["bun", "tollgate", "--config", config, "--data", data, "requests", ...words]
    const code = await runCli(line, terminal)
    return { code, output: terminal.output, notices: terminal.notices }
  }

  async function list(...words: string[]): Promise<readonly ListedRequest[]> {
    const { output } = await run(...words, "--json")
    return (JSON.parse(output) as { requests: ListedRequest[] }).requests
  }

  beforeAll(async () => {
    simulator = startSimulator()
    installation = createInstallation(`server: { port: 0 }
${await database()}providers: { sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" } }
models:
  sim/echo: { price: { input: 1, output: 2 } }
  sim/fault-402: { price: { input: 1, output: 2 } }
`)
    await runJson(installation, "account", "create", "acme", "--credits", "5")
    await runJson(installation, "account", "create", "poor")
    await runJson(installation, "account", "create", "held", "--credits", "5")
    const keyOf = async (account: string, name: string): Promise<string> => {
      const words = ["key", "create", "--account", account, "--name", name]
      return (await runJson<{ key: string }>(installation, ...words)).key
    }
    const keys = {
      acme: await keyOf("acme", "backend"),
      poor: await keyOf("poor", "batch"),
      held: await keyOf("held", "idle"),
    }
    await runJson(installation, "account", "pause", "held")
    await using serving = await startServing(installation)
    const call = async (key: string, model: string): Promise<number> => {
      const response = await fetch(`${serving.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "x-tollgate-user": "erin",
        },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
      })
      await response.text()
      return response.status
    }
    expect(await call(keys.acme, "sim/echo")).toBe(200)
    expect(await call(keys.acme, "sim/fault-402")).toBe(502)
    expect(await call(keys.acme, "sim/missing")).toBe(404)
    expect(await call(keys.poor, "sim/echo")).toBe(402)
    expect(await call(keys.held, "sim/echo")).toBe(403)
    // Failures are stored within a second.
    await until(async () => (await list()).filter(({ message }) => message !== null).length === 4)
  })

  afterAll(async () => {
    installation[Symbol.dispose]()
    await simulator.stop()
  })

  test("appear as answered, failed or rejected, newest first", async () => {
    expect(await list()).toMatchObject([
      { status: "rejected", code: "account_paused", account_name: "held", key_name: "idle" },
      { status: "rejected", code: "insufficient_credits", account_name: "poor", key_name: "batch" },
      { status: "rejected", code: "model_not_found", account_name: "acme", model: "sim/missing" },
      { status: "failed", model: "sim/fault-402", provider: "sim", cost: "0" },
      { status: "ok", code: "ok", model: "sim/echo", message: null, labels: { user: "erin" } },
    ])
    expect(await list("--limit", "1")).toHaveLength(1)
  })

  test("can be found by error text, key name, label or model", async () => {
    const models = async (...words: string[]) => (await list(...words)).map(({ model }) => model)
    expect(await models("--search", "DOES NOT COVER")).toEqual(["sim/echo"])
    expect(await models("--search", "batch")).toEqual(["sim/echo"])
    expect(await models("--search", "erin", "--status", "ok")).toEqual(["sim/echo"])
    expect(await models("--search", "missing")).toEqual(["sim/missing"])
    expect(await models("--model", "sim/f*")).toEqual(["sim/fault-402"])
    expect(await models("--key", "backend", "--status", "rejected")).toEqual(["sim/missing"])
    expect(await models("--account", "poor")).toEqual(["sim/echo"])
    expect(await models("--to", "2020-01-01")).toEqual([])
  })

  test("appear in a table with their error messages", async () => {
    const { output } = await run("--status", "rejected")
    expect(output).toMatch(/^TIME +STATUS +ACCOUNT +KEY +MODEL +COST +ID +ERROR$/m)
    expect(output).toMatch(
      /rejected: insufficient_credits +poor +batch +sim\/echo +0 +req_\S+ +The account's balance/,
    )
    expect((await run("--search", "nothing of this kind")).output).toContain("No matching requests")
  })

  test("cannot be filtered by an unknown status or account", async () => {
    expect((await run("--status", "lost")).code).toBe(2)
    expect((await run("--account", "nobody")).code).toBe(4)
  })
})
