import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GatewayError } from "../../src/canon/errors.ts"
import type { Settings } from "../../src/config/settings.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import type { Store } from "../../src/store/store.ts"
import { settings as bareSettings } from "../catalog/support.ts"
import { kindOf, Process } from "./provider-process.ts"

let folder: string
let store: Store
let settings: Settings

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-management-"))
  store = await databaseOf({ data: folder }).openStore()
  const inside = {
    vendor: "openai-compatible",
    apiKey: "hidden",
    baseUrl: "http://10.0.0.1/v1",
    headers: {},
    knownModels: false,
    origin: "file",
  } as const
  settings = { ...bareSettings({ inside }), data: folder }
})

afterAll(async () => {
  await store[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

describe("a provider with several credentials", () => {
  const KEYS = [
    { name: "good", api_key: "canary-good" },
    { name: "bad", api_key: "canary-bad" },
  ]

  async function startWithKeys() {
    const vendor = Bun.serve({
      port: 0,
      fetch: (request) =>
        request.headers.get("authorization") === "Bearer canary-good"
          ? Response.json({ data: [{ id: "there" }] })
          : Response.json({ error: { message: "canary-bad" } }, { status: 401 }),
    })
    const process = await Process.start(store, settings)
    const id = `many-${vendor.port}`
    const entry = {
      id,
      vendor: "openai-compatible",
      base_url: `${vendor.url.origin}/v1`,
      known_models: false,
    }
    const created = await process.providers.create(COMMAND_LINE, { ...entry, api_keys: KEYS })
    return { ...process, process, id, created, [Symbol.asyncDispose]: () => vendor.stop(true) }
  }

  test("shows and tests each credential by name", async () => {
    await using world = await startWithKeys()
    const { created, process, id } = world
    expect(created.secrets).toEqual(["api_keys.good", "api_keys.bad"])
    expect(JSON.stringify(created)).not.toContain("canary")
    const tested = await process.providers.test(COMMAND_LINE, id)
    expect(tested).toMatchObject({ ok: false, models: ["there"] })
    expect(tested.message).toStartWith("good: It accepts the credential")
    expect(tested.message).toContain("bad: It rejects the credential (401)")
    expect(tested.message).not.toContain("canary")
    const second = await Process.start(store, settings)
    expect(second.live.effective.providers[id]?.apiKeys).toMatchObject([
      { name: "good", apiKey: "canary-good" },
      { name: "bad", apiKey: "canary-bad" },
    ])
  })

  test("changes as a whole, and its keys are not sent to another server", async () => {
    await using world = await startWithKeys()
    const { process, id } = world
    const change = (entry: object) => process.providers.change(COMMAND_LINE, id, { ...entry })
    expect(await kindOf(() => change({ api_keys: [] }))).toBe("invalid_value")
    expect(await kindOf(() => change({ api_key: "other" }))).toBe("invalid_value")
    expect(await kindOf(() => change({ base_url: "http://127.0.0.1:1/v1" }))).toBe("invalid_value")
    const changed = await change({ api_keys: [{ name: "good", api_key: "canary-good" }] })
    expect(changed.secrets).toEqual(["api_keys.good"])
    const single = await change({ api_keys: null, api_key: "canary-one" })
    expect(single.secrets).toEqual(["api_key"])
  })

  test("keeps the key of a credential that is named without a key, even after a rename", async () => {
    await using world = await startWithKeys()
    const { process, id } = world
    const change = (entry: object) => process.providers.change(COMMAND_LINE, id, { ...entry })
    const keys = () => process.live.effective.providers[id]?.apiKeys
    const changed = await change({
      api_keys: [
        { name: "spare", was: "bad", weight: 0 },
        { name: "new", api_key: "canary-new" },
        { name: "good", weight: 2 },
      ],
    })
    expect(changed.credentials).toEqual([
      { name: "spare", weight: 0 },
      { name: "new", weight: 1 },
      { name: "good", weight: 2 },
    ])
    expect(JSON.stringify(changed)).not.toContain("canary")
    expect(keys()).toMatchObject([
      { name: "spare", apiKey: "canary-bad" },
      { name: "new", apiKey: "canary-new" },
      { name: "good", apiKey: "canary-good" },
    ])
    const elsewhere = "http://127.0.0.1:1/v1"
    for (const api_keys of [
      [{ name: "good" }],
      [{ name: "other", was: "good" }],
      [{ name: "good" }, { name: "new", api_key: "canary-newer" }],
      [{ name: "good", session_token: "x" }],
      [{ name: "1", was: "good" }, "canary-unnamed"],
    ]) {
      expect(await kindOf(() => change({ base_url: elsewhere, api_keys }))).toBe("invalid_value")
    }
    expect(await kindOf(() => change({ api_keys: [{ name: "x", was: "gone" }] }))).toBe(
      "invalid_value",
    )
    expect(await kindOf(() => change({ api_keys: [{ name: "x" }] }))).toBe("invalid_value")
    await change({ api_keys: [{ name: "good" }] })
    expect(keys()).toMatchObject([{ name: "good", apiKey: "canary-good", weight: 2 }])
  })

  test("keeps its earlier single key as the first credential", async () => {
    await using world = await startWithKeys()
    const { process, id } = world
    const change = (entry: object) => process.providers.change(COMMAND_LINE, id, { ...entry })
    await change({ api_keys: null, api_key: "canary-one" })
    const api_keys = [{ name: "first" }, { name: "second", api_key: "canary-two" }]
    await change({ api_key: null, api_keys })
    expect(process.live.effective.providers[id]?.apiKeys).toMatchObject([
      { name: "first", apiKey: "canary-one" },
      { name: "second", apiKey: "canary-two" },
    ])
  })

  test("appears once in a model, with the health of each credential", async () => {
    await using world = await startWithKeys()
    const { process, id } = world
    const model = `${id}/pool`
    const deployments = [
      { provider: id, model: "there", weight: 3 },
      { provider: "inside", model: "there", weight: 1 },
    ]
    await process.models.set(COMMAND_LINE, model, {
      price: { input: "1", output: "1" },
      deployments,
    })
    process.health.succeeded(`${id}/there#good`)
    process.health.failed(`${id}/there#bad`, new GatewayError("upstream_error", "x"), 401)
    const shown = (await process.models.find(COMMAND_LINE, model)).deployments
    expect(shown).toMatchObject([
      { provider: id, model: "there", weight: 3, health: { state: "healthy", failures: 1 } },
      { provider: "inside", model: "there", weight: 1 },
    ])
  })
})
