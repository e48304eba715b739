import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  runCommand,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"

const ADMIN = "an-operators-token-0123456789"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const yaml = (aliases: string): string => `
server: { port: 0 }
admin_token: ${ADMIN}
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
aliases: ${aliases}
`

interface Key {
  readonly id: string
  readonly key: string
}

function write(installation: Installation, aliases: string): void {
  writeFileSync(installation.config, yaml(aliases))
}

/** Returns the distinct statuses of requests for a name on several new connections, which reach every worker. */
async function everywhere(url: string, key: string, name: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, connection: "close" }
  const ask = async (): Promise<number> => {
    const response = await fetch(`${url}/v1/models/${name}`, { headers })
    await response.text()
    return response.status
  }
  return [...new Set(await Promise.all(Array.from({ length: 24 }, ask)))]
}

test("aliases of a key and of the settings file apply in each worker; invalid aliases are rejected", async () => {
  using installation = createInstallation(yaml("{ one: sim/echo }"))
  await runJson(installation, "account", "create", "caller", "--credits", "5")
  const words = ["key", "create", "--account", "caller", "--alias", "mine=sim/echo"]
  const { id, key } = await runJson<Key>(installation, ...words)
  await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
  const { url } = serving
  const seen = (name: string): Promise<number[]> => everywhere(url, key, name)
  expect([await seen("one"), await seen("mine"), await seen("two")]).toEqual([[200], [200], [404]])

  const changed = await fetch(`${url}/admin/v1/keys/${id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify({ aliases: { two: "sim/echo" } }),
  })
  expect(changed.status).toBe(200)
  expect([await seen("mine"), await seen("two")]).toEqual([[404], [200]])

  write(installation, "{ one: sim/none, three: sim/echo }")
  const rejected = await runCommand(installation, "doctor")
  expect(rejected.stdout + rejected.stderr).toContain("aliases.one leads to 'sim/none'")
  expect(await seen("one")).toEqual([200])
  write(installation, "{ three: sim/echo }")
  await until(
    async () => String(await seen("three")) === "200" && String(await seen("one")) === "404",
  )
})

test("an invalid alias in the settings file prevents the start, and the error contains the line", async () => {
  using installation = createInstallation(yaml("{ one: sim/none }"))
  const { exitCode, stderr } = await runCommand(installation, "models")
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/tollgate\.yaml:\d+:\d+: aliases\.one: leads to 'sim\/none'/)
})
