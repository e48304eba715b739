import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AUDIT } from "../store/audit-record.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import type { Settings } from "../../src/config/settings.ts"
import { type Actor, COMMAND_LINE } from "../../src/management/actor.ts"
import { ModelTests } from "../../src/management/model-tests.ts"
import type { Store } from "../../src/store/store.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { settings as bareSettings } from "../catalog/support.ts"
import { kindOf, Process } from "./provider-process.ts"

const MEMBER: Actor = {
  kind: "user",
  id: "user_1",
  name: "member@example.com",
  isOperator: false,
  roles: new Map([["acc_1", "owner"]]),
  address: null,
}
const SANDBOX = "http://127.0.0.1:1"

let folder: string
let store: Store
let settings: Settings

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-management-"))
  store = await databaseOf({ data: folder }).openStore()
  const file = {
    vendor: "openai-compatible",
    apiKey: "hidden",
    baseUrl: "http://10.0.0.1/v1",
    headers: { "x-secret": "hidden" },
    knownModels: false,
    origin: "file",
  } as const
  settings = {
    ...bareSettings(
      { inside: file, idle: file },
      {
        "inside/model": {
          kind: "chat",
          price: { input: "1", output: "1" },
          deployments: [{ provider: "inside", model: "internal-name", weight: 1 }],
        },
        "inside/dear": { kind: "chat" },
      },
    ),
    data: folder,
  }
})

afterAll(async () => {
  await store[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

describe("a member who is not an operator", () => {
  test("sees the providers in use and their health, but not their URLs", async () => {
    const { providers, health } = await Process.start(store, settings)
    health.failed("inside/internal-name", new GatewayError("upstream_error", "x"), 500)
    const { data } = providers.list(MEMBER, { limit: 50 })
    expect(data).toEqual([
      {
        id: "inside",
        vendor: "openai-compatible",
        vendor_name: "OpenAI-compatible server",
        base_url: null,
        region: null,
        secrets: [],
        credentials: [],
        known_models: false,
        origin: "file",
        is_locked: true,
        models: 2,
        unpriced_models: 1,
        health: { state: "failing", until: null, successes: 0, failures: 1, last_error: null },
        problem: null,
        entry: null,
      },
    ])
    const whole = providers.list(COMMAND_LINE, { limit: 50 }).data
    expect(whole.map(({ id }) => id)).toEqual(["idle", "inside"])
    expect(whole[1]).toMatchObject({
      base_url: "http://10.0.0.1/v1",
      secrets: ["api_key", "headers.x-secret"],
      health: { last_error: "it failed (500)" },
    })
    expect(JSON.stringify(whole)).not.toContain("hidden")
  })

  test("sees all models, but not their upstream names", async () => {
    const { models } = await Process.start(store, settings)
    const text = JSON.stringify(await models.list(MEMBER, { limit: 50 }))
    expect(text).toContain("inside/model")
    expect(text).not.toContain("internal-name")
    expect(await models.find(MEMBER, "inside/model")).toMatchObject({
      is_locked: true,
      entry: null,
    })
    expect((await models.find(COMMAND_LINE, "inside/model")).deployments[0]?.model).toBe(
      "internal-name",
    )
  })

  test("sees no model rules", async () => {
    const { models, learnedRules, catalog } = await Process.start(store, settings)
    const [deployment] = catalog().listed("inside/model").deployments
    if (deployment === undefined) throw new Error("no deployment")
    learnedRules.learn(deployment, { tools: false }, new Date("2026-11-24T12:00:00Z"))
    const rulesFor = async (actor: Actor) =>
      (await models.find(actor, "inside/model")).deployments[0]?.rules
    expect(await rulesFor(MEMBER)).toEqual([])
    expect(await rulesFor(COMMAND_LINE)).toEqual([
      { name: "tools", value: false, source: "learned", note: "2026-11-24T12:00:00.000Z" },
    ])
  })

  test("cannot change models and providers", async () => {
    const { providers, models, gatewaySettings } = await Process.start(store, settings)
    const attempts = [
      () => providers.vendors(MEMBER),
      () => providers.create(MEMBER, { id: "x", vendor: "ollama" }),
      () => providers.change(MEMBER, "inside", {}),
      () => providers.remove(MEMBER, "inside"),
      () => providers.test(MEMBER, "inside"),
      () => models.set(MEMBER, "inside/x", {}),
      () => models.reset(MEMBER, "inside/x"),
      () => gatewaySettings.view(MEMBER),
      () => gatewaySettings.change(MEMBER, {}),
      () => gatewaySettings.verifyLedger(MEMBER),
    ]
    for (const attempt of attempts) expect(await kindOf(attempt)).toBe("forbidden")
    expect((await store.settings.read()).records).toEqual([])
  })
})

test("a process that missed another process's change rejects the same change as a conflict", async () => {
  const first = await Process.start(store, settings)
  const second = await Process.start(store, settings)
  await first.providers.create(COMMAND_LINE, { id: "mine", vendor: "ollama" })
  expect(
    await kindOf(() => second.providers.create(COMMAND_LINE, { id: "mine", vendor: "ollama" })),
  ).toBe("conflict")
  expect(second.live.effective.providers["mine"]).toMatchObject({ vendor: "ollama" })
  expect(second.applied).toBe(1)
  await second.live.refresh()
  expect(second.applied).toBe(1)
  // A change that was prepared before another change has no effect.
  const stale = first.live.prepare([{ section: "provider", id: "mine", entry: { vendor: "vllm" } }])
  await second.providers.change(COMMAND_LINE, "mine", { known_models: false })
  await expect(store.settings.change(stale, 1, AUDIT)).rejects.toMatchObject({ code: "conflict" })
  await first.providers.remove(COMMAND_LINE, "mine")
  await second.live.refresh()
  expect(second.live.effective.providers["mine"]).toBeUndefined()
})

test("models of the simulator can be priced, and its providers are locked", async () => {
  const { providers, models } = await Process.start(store, bareWithData(), SANDBOX)
  const { data } = providers.list(COMMAND_LINE, { limit: 50 })
  expect(data.find(({ id }) => id === "sandbox")).toMatchObject({
    origin: "sandbox",
    is_locked: true,
    problem: null,
  })
  expect(await kindOf(() => providers.change(COMMAND_LINE, "sandbox", {}))).toBe("conflict")
  expect(
    await kindOf(() => providers.create(COMMAND_LINE, { id: "sandbox", vendor: "ollama" })),
  ).toBe("conflict")
  const priced = await models.set(COMMAND_LINE, "sandbox/echo", { multiplier: "4" })
  expect(priced).toMatchObject({ multiplier: "4", price: { input: "0.15" }, origin: "console" })
  await models.reset(COMMAND_LINE, "sandbox/echo")
  expect(await models.find(COMMAND_LINE, "sandbox/echo")).toMatchObject({
    multiplier: "1",
    origin: "known",
  })
})

test("the entry of a provider has the totals of its deployments", async () => {
  const { providers, health } = await Process.start(store, {
    ...settings,
    models: {
      "inside/a": { kind: "chat", price: { input: "1", output: "1" } },
      "inside/b": { kind: "chat", price: { input: "1", output: "1" } },
    },
  })
  const state = () =>
    providers.list(COMMAND_LINE, { limit: 50 }).data.find(({ id }) => id === "inside")?.health
  expect(state()?.state).toBe("unknown")
  const rejected = new GatewayError("upstream_error", "x", { providerError: "credential" })
  health.failed("inside/a", rejected, 401)
  expect(state()).toMatchObject({ state: "cooling_down", failures: 1, until: expect.any(String) })
  health.succeeded("inside/b")
  expect(state()).toMatchObject({
    state: "healthy",
    until: null,
    successes: 1,
    failures: 1,
    last_error: expect.stringContaining("(401)"),
  })
})

test("pauses and priorities of deployments apply in every process and appear in the audit log", async () => {
  const first = await Process.start(store, settings)
  const second = await Process.start(store, settings)
  const deployments = [
    { provider: "idle", model: "one", weight: 1, paused: true },
    { provider: "inside", model: "two", weight: 1 },
    { provider: "idle", model: "three", weight: 0 },
  ]
  const entry = { price: { input: "1", output: "1" }, deployments }
  const set = await first.models.set(COMMAND_LINE, "inside/pool", entry)
  const shown = [
    { model: "one", weight: 1, is_paused: true },
    { model: "two", weight: 1, is_paused: false },
    { model: "three", weight: 0, is_paused: false },
  ]
  expect(set.deployments).toMatchObject(shown)
  await second.live.refresh()
  expect((await second.models.find(COMMAND_LINE, "inside/pool")).deployments).toMatchObject(shown)
  const [record] = await store.audit.list({ action: "model.set" }, null, 1)
  expect(JSON.stringify(record)).toContain("paused")

  const paused = deployments.map((deployment) => ({ ...deployment, paused: true }))
  const rejected = first.models.set(COMMAND_LINE, "inside/pool", { ...entry, deployments: paused })
  await expect(rejected).rejects.toThrow("need at least one deployment that is not paused")
  const fallbacks = deployments.map((deployment) => ({ ...deployment, weight: 0 }))
  const idle = first.models.set(COMMAND_LINE, "inside/pool", { ...entry, deployments: fallbacks })
  await expect(idle).rejects.toThrow("need at least one deployment with a weight above 0")
  await first.models.reset(COMMAND_LINE, "inside/pool")
})

test("the test of a model calls its providers, and reports a name that their model lists lack", async () => {
  await using vendor = Bun.serve({
    port: 0,
    fetch: () => Response.json({ data: [{ id: "there" }] }),
  })
  const { models, providers } = await Process.start(store, {
    ...settings,
    providers: {
      up: { ...settings.providers["inside"]!, baseUrl: `${vendor.url.origin}/v1` },
      down: { ...settings.providers["inside"]!, baseUrl: "http://127.0.0.1:1/v1" },
    },
    models: {
      "up/pool": {
        kind: "chat",
        price: { input: "1", output: "1" },
        deployments: [
          { provider: "up", model: "there", weight: 1 },
          { provider: "up", model: "elsewhere", weight: 1, isPaused: true },
          { provider: "down", model: "there", weight: 0 },
        ],
      },
    },
  })
  const tests = new ModelTests(models, providers)
  const { data } = await tests.test(COMMAND_LINE, "up/pool")
  expect(data).toMatchObject([
    { model: "there", ok: true, is_listed: true },
    { model: "elsewhere", ok: true, is_listed: false, is_paused: true },
    { provider: "down", ok: false, is_listed: null },
  ])
  expect(data[1]?.message).toContain("does not name 'elsewhere'")
  await expect(tests.test(MEMBER, "up/pool")).rejects.toMatchObject({ kind: "forbidden" })
})

test("the API returns the name of the settings file, and the settings that the file locks", async () => {
  const { gatewaySettings } = await Process.start(store, settings)
  const view = gatewaySettings.view(COMMAND_LINE)
  expect(view.file).toBe("/etc/tollgate.yaml")
  expect(view.changeable.filter(({ is_locked }) => is_locked).map(({ name }) => name)).toEqual([
    "multiplier",
  ])
  expect(JSON.stringify(view)).not.toContain("hidden")
})

function bareWithData(): Settings {
  return { ...bareSettings({}), data: folder }
}

describe("price groups of the management API", () => {
  const at = (hour: number) =>
    new Date(Date.parse("2026-11-24T12:00:00Z") + hour * 3_600_000).toISOString()

  test("keep terms that have started, and remove terms that have ended", async () => {
    const process = await Process.start(store, settings)
    const { groups } = process
    const [first, second, third] = [{}, { from: at(1), multiplier: "2" }, { from: at(2) }]
    const made = await groups.create(COMMAND_LINE, { id: "kept", terms: [first, second, third] })
    const [begun, ...later] = made.terms.map(({ from, multiplier }) => ({ from, multiplier }))
    const change = (terms: object[]) => kindOf(() => groups.change(COMMAND_LINE, "kept", { terms }))
    expect(begun?.from).toBe("2026-11-24T12:00:05.000Z")
    // Only the first period has begun, so the other periods can still be changed.
    expect(await change([begun ?? {}, { from: at(1), multiplier: "3" }])).toBe("done")
    expect(await change([begun ?? {}, ...later])).toBe("done")
    process.clock += 90 * 60_000
    const { terms } = await groups.find(COMMAND_LINE, "kept")
    expect(terms.map(({ state }) => state)).toEqual(["ended", "active", "upcoming"])
    expect(await change([begun ?? {}, { from: at(1), multiplier: "3" }])).toBe("invalid_value")
    expect(await change([begun ?? {}, { from: at(2) }])).toBe("invalid_value")
    expect(await change([...later])).toBe("done")
    // A period that was omitted cannot be added again.
    expect(await change([begun ?? {}, ...later])).toBe("invalid_value")
    await groups.delete(COMMAND_LINE, "kept")
  })

  test("apply in every process, and one of two simultaneous changes is rejected as a conflict", async () => {
    const [one, other] = [
      await Process.start(store, settings),
      await Process.start(store, settings),
    ]
    await one.groups.create(COMMAND_LINE, { id: "shared", terms: [{ multiplier: "0.9" }] })
    expect(await kindOf(() => other.groups.find(COMMAND_LINE, "shared"))).toBe("not_found")
    await other.live.refresh()
    expect(await other.groups.find(COMMAND_LINE, "shared")).toMatchObject({ id: "shared" })
    const names = await Promise.all(
      [one, other].map(({ groups }, place) =>
        kindOf(() => groups.change(COMMAND_LINE, "shared", { name: `name ${place}` })),
      ),
    )
    expect(names.toSorted()).toEqual(["conflict", "done"])
    await one.groups.delete(COMMAND_LINE, "shared")
  })

  test("stay hidden from members, like the prices of other accounts", async () => {
    const { groups, models } = await Process.start(store, settings)
    const query = { limit: 10 }
    expect(await kindOf(() => groups.list(MEMBER, query))).toBe("forbidden")
    expect(await kindOf(() => groups.find(MEMBER, "any"))).toBe("forbidden")
    expect(await kindOf(() => groups.create(MEMBER, { id: "mine", terms: [{}] }))).toBe("forbidden")
    expect(await kindOf(() => groups.change(MEMBER, "any", {}))).toBe("forbidden")
    expect(await kindOf(() => groups.delete(MEMBER, "any"))).toBe("forbidden")
    expect(await kindOf(() => models.list(MEMBER, { ...query, account: "acc_1" }))).toBe("done")
    expect(await kindOf(() => models.list(MEMBER, { ...query, account: "acc_2" }))).toBe(
      "not_found",
    )
  })
})
