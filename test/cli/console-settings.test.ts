import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { asked } from "../http/admin/support.ts"
import {
  createInstallation,
  type Installation,
  runCommand,
  runJson,
  startServing,
  type ServingProcess,
} from "../support/process.ts"
import { polledTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"

const TOKEN = { TOLLGATE_ADMIN_TOKEN: "admin-token-for-tests" }
const PRICE = { input: "1", output: "2" }
const BARE = "server: { port: 0 }\n"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

function chat(serving: ServingProcess, key: string, model: string): Promise<Response> {
  return fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      connection: "close",
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  })
}

async function statusOf(serving: ServingProcess, key: string, model: string): Promise<number> {
  const response = await chat(serving, key, model)
  await response.body?.cancel()
  return response.status
}

async function addProvider(serving: ServingProcess): Promise<void> {
  await asked(serving, "POST", "/providers", {
    id: "mine",
    vendor: "openai-compatible",
    base_url: `${simulator.url}/v1`,
    api_key: "sk-of-the-console",
  })
  await asked(serving, "PUT", "/models/mine/echo", { price: PRICE })
}

function keyIn(serving: ServingProcess): string {
  return /^key: (sk-tg-\w+)$/m.exec(serving.output())?.[1] ?? ""
}

async function modelsOf(installation: Installation): Promise<readonly string[]> {
  const { models } = await runJson<{ models: { id: string }[] }>(installation, "models")
  return models.map(({ id }) => id)
}

describe("settings from the console", () => {
  test.concurrent("apply in two processes within a second, survive a restart, and are visible to commands", async () => {
    using installation = createInstallation(BARE)
    let key: string
    {
      await using first = await startServing(installation, TOKEN)
      await using second = await startServing(installation, TOKEN)
      key = keyIn(first)
      expect(await statusOf(first, key, "sandbox/echo")).toBe(200)
      await until(async () => (await statusOf(second, key, "sandbox/echo")) === 200)
      await addProvider(first)
      // In the process that made the change, the provider is active as soon as the response arrives. The simulator
      // stays available until the process ends.
      expect(await statusOf(first, key, "mine/echo")).toBe(200)
      expect(await statusOf(first, key, "sandbox/echo")).toBe(200)
      const arrived = async () => (await statusOf(second, key, "mine/echo")) === 200
      expect(await polledTime(arrived, 1_000)).toBeLessThan(1_000)
      await asked(second, "PATCH", "/settings", { multiplier: "2" })
      await until(async () => {
        const view = await asked(first, "GET", "/settings")
        return (view["effective"] as { multiplier: string }).multiplier === "2"
      })
    }
    // After a restart, the setting has the same effect as in the file: the simulator does not start.
    await using again = await startServing(installation, TOKEN)
    expect(again.output()).not.toContain("sandbox")
    expect(await statusOf(again, key, "mine/echo")).toBe(200)
    expect(await statusOf(again, key, "sandbox/echo")).toBe(404)
    expect(await modelsOf(installation)).toEqual(["mine/echo"])
    const doctor = await runCommand(installation, "doctor")
    expect(doctor.stdout).toContain("provider mine")
  })

  test.concurrent("apply in all workers, even if their ledgers run on threads", async () => {
    using installation = createInstallation(BARE)
    await using serving = await startServing(installation, { ...TOKEN, TOLLGATE_WORKERS: "2" })
    const key = keyIn(serving)
    await addProvider(serving)
    // Each connection may reach another worker. After this many successes in a row, both workers have been reached.
    let inRow = 0
    await until(async () => {
      inRow = (await statusOf(serving, key, "mine/echo")) === 200 ? inRow + 1 : 0
      return inRow === 30
    })
  })

  test.concurrent("can change at the same time as settings in the settings file", async () => {
    using installation = createInstallation(BARE)
    await using serving = await startServing(installation, TOKEN)
    const key = keyIn(serving)
    await addProvider(serving)
    await asked(serving, "PATCH", "/settings", { multiplier: "2", "timeouts.total": "1h" })
    const effective = async (): Promise<Record<string, unknown>> =>
      (await asked(serving, "GET", "/settings"))["effective"] as Record<string, unknown>

    writeFileSync(installation.config, `${BARE}multiplier: 3\n`)
    await until(async () => (await effective())["multiplier"] === "3")
    expect(await effective()).toMatchObject({ timeouts: { total: "1h" } })
    expect(await statusOf(serving, key, "mine/echo")).toBe(200)

    // If the file is invalid, the active settings stay in effect and the console stays usable.
    writeFileSync(installation.config, `${BARE}multiplier: much\n`)
    await until(() => serving.errors().includes("settings_rejected"))
    await asked(serving, "PATCH", "/settings", { "timeouts.total": "2h" })
    expect(await effective()).toMatchObject({ multiplier: "3", timeouts: { total: "2h" } })

    // A setting in the file is locked even if it has the default value.
    writeFileSync(installation.config, `${BARE}multiplier: 1\n`)
    await until(async () => (await effective())["multiplier"] === "1")
    writeFileSync(installation.config, BARE)
    await until(async () => (await effective())["multiplier"] === "2")
    writeFileSync(installation.config, `${BARE}multiplier: 2\n`)
    await until(async () => {
      const { changeable } = await asked(serving, "GET", "/settings")
      const [multiplier] = changeable as { is_locked: boolean }[]
      return multiplier?.is_locked === true
    })
  })

  test.concurrent("do not prevent the start if the encryption key file is lost", async () => {
    using installation = createInstallation(BARE)
    {
      await using serving = await startServing(installation, TOKEN)
      await addProvider(serving)
    }
    rmSync(join(installation.data, "secrets", "provider-key"))
    await using again = await startServing(installation, TOKEN)
    expect(again.errors()).toContain("secrets/provider-key")
    expect(again.errors()).not.toContain("sk-of-the-console")
    const doctor = await runCommand(installation, "doctor")
    expect(doctor.stdout).toContain("secrets/provider-key")
    const { data } = await asked(again, "GET", "/providers")
    expect(data).toMatchObject([{ id: "mine", problem: expect.stringContaining("provider-key") }])
  })
})
