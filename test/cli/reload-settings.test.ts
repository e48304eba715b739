import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { reloadSettings } from "../../src/cli/reload-settings.ts"
import type { ConfigError } from "../../src/config/config-error.ts"
import { type LoadOptions, loadSettings } from "../../src/config/load.ts"
import { type SettingsWatcher, watchSettings } from "../../src/config/watch.ts"
import { listedModels } from "../../src/cli/listed-models.ts"
import { vendors } from "../../src/vendors/index.ts"
import { multiplierText } from "../../src/ledger/money.ts"
import { Folder } from "../config/harness.ts"
import { startManaged } from "../http/admin/support.ts"
import type { TestGateway } from "../support/gateway.ts"
import { longestPause } from "../support/pauses.ts"

const MAX_PAUSE_MS = 100
const MODELS = 2_000
/** Enough models for a file that is read on a thread. */
const FEW_MODELS = 100

const folder = new Folder()
const { file } = folder
let gateway: TestGateway
let watcher: SettingsWatcher
const errors: ConfigError[] = []
/** A factor that no other file of these tests has. */
let factor = 1

function load(more: Partial<LoadOptions> = {}): LoadOptions {
  return { environment: {}, vendors: [...vendors.values()], modelsOf: listedModels, file, ...more }
}

function largeFile(multiplier: string, count = MODELS): string {
  const models = Array.from(
    { length: count },
    (_, index) => `  one/m${index}: { kind: chat, price: { input: 1, output: 2 } }`,
  )
  return `
multiplier: ${multiplier}
x-shared: &shared { vendor: openai-compatible, api_key: abc, headers: { x-team: a } }
providers:
  one: { <<: *shared, base_url: "http://127.0.0.1:1/v1" }
models:
${models.join("\n")}
aliases: { fast: one/m0 }
price_groups: { half: { terms: [{ from: 2026-01-01, prices: { "one/*": { input: 1, output: 1 } } }] } }
`
}

function multiplierOfRequests(): string | undefined {
  const multiplier = gateway.app.catalog.find("one/m7")?.deployments[0]?.price?.multiplier
  return multiplier === undefined ? undefined : multiplierText(multiplier)
}

beforeAll(async () => {
  writeFileSync(file, largeFile("1", FEW_MODELS))
  const started = loadSettings(load())
  const { models, providers } = started.settings
  gateway = await startManaged({ models, providers })
  watcher = watchSettings({
    load: () => reloadSettings(load()),
    started,
    onChange: ({ settings }) =>
      gateway.app.apply({ ...gateway.settings, ...settings, data: gateway.settings.data }),
    onError: (error) => errors.push(error),
  })
})

afterAll(async () => {
  await watcher[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

describe("a reload of large settings", () => {
  test("activates 2,000 models without delaying callers", async () => {
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      factor++
      writeFileSync(file, largeFile(String(factor)))
      expect(await watcher.reload()).toBe("changed")
    })
    expect(multiplierOfRequests()).toBe(String(factor))
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })

  test("rejects invalid settings with their line, without delaying callers", async () => {
    const before = gateway.app.catalog
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      writeFileSync(file, largeFile("MARK"))
      expect(await watcher.reload()).toBe("rejected")
    })
    expect(errors.at(-1)?.message).toContain(`${file}:2:13: multiplier: must be`)
    expect(gateway.app.catalog).toBe(before)
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })

  test("reports thousands of problems without delaying callers", async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `unknown${index}: 1`)
    const pause = await longestPause(MAX_PAUSE_MS, async () => {
      writeFileSync(file, names.join("\n"))
      expect(await watcher.reload()).toBe("rejected")
    })
    expect(errors.at(-1)?.message).toContain("unknown name 'unknown0'")
    expect(errors.at(-1)?.message).toEndWith("and 4900 more")
    expect(pause).toBeLessThan(MAX_PAUSE_MS)
  })

  test("applies the later of two files that are saved shortly after each other", async () => {
    factor += 2
    writeFileSync(file, largeFile(String(factor - 1), FEW_MODELS))
    const first = watcher.reload()
    writeFileSync(file, largeFile(String(factor), FEW_MODELS))
    await Promise.all([first, watcher.reload()])
    expect(multiplierOfRequests()).toBe(String(factor))
  })

  test("returns the same settings as if they were loaded on the event loop", async () => {
    writeFileSync(file, largeFile("1", FEW_MODELS))
    const loaded = loadSettings(load())
    expect(isDeepStrictEqual(await reloadSettings(load()), loaded)).toBe(true)
    expect(Object.getPrototypeOf(loaded.settings.models)).toBeNull()
  })
})
