import { expect, test } from "bun:test"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { type LoadedSettings, loadSettings } from "../../src/config/load.ts"
import { DEFAULTS } from "../support/settings.ts"
import { Folder, VENDORS, load } from "./harness.ts"

const EXAMPLE = `
server: { host: 127.0.0.1, port: 8787 }
data: ./data
providers:
  openai: { vendor: openai, api_key: "\${OPENAI_API_KEY}" }
  local: { vendor: openai-compatible, base_url: "http://127.0.0.1:11434/v1/" }
models:                       # additions to, and overrides of, the known models
  local/llama:
    kind: chat
    price: { input: 0.10, cached_input: 0.02, output: 0.40 }
    multiplier: 1.2
    context: 131072
    max_output: 8192
    deployments:
      - { provider: local, model: llama3.2, weight: 1 }
`

test("the settings loader reads the documented example", () => {
  using folder = new Folder()
  folder.write(EXAMPLE)
  const { settings, file, warnings } = loadSettings(folder.options({ OPENAI_API_KEY: "sk-1" }))
  expect(file).toBe(folder.file)
  expect(warnings).toEqual([])
  expect(settings).toEqual({
    ...DEFAULTS,
    data: join(folder.path, "data"),
    providers: {
      openai: { vendor: "openai", apiKey: "sk-1", headers: {}, knownModels: true, origin: "file" },
      local: {
        vendor: "openai-compatible",
        baseUrl: "http://127.0.0.1:11434/v1",
        headers: {},
        knownModels: true,
        origin: "file",
      },
    },
    models: {
      "local/llama": {
        kind: "chat",
        price: { input: "0.10", cached_input: "0.02", output: "0.40" },
        multiplier: "1.2",
        context: 131072,
        maxOutput: 8192,
        deployments: [{ provider: "local", model: "llama3.2", weight: 1 }],
      },
    },
  })
})

test("every setting has a default", () => {
  for (const text of ["", "# nothing yet\n", "server:\nproviders:\nmodels:\n"]) {
    const { settings } = load(text)
    expect(settings).toEqual({ ...DEFAULTS, providers: {}, models: {} })
    expect(settings.data).toBe(resolve("data"))
    expect(Object.keys(settings.providers)).toEqual([])
    expect(settings).not.toHaveProperty("adminToken")
    expect(settings).not.toHaveProperty("publicUrl")
    expect(settings).not.toHaveProperty("unpricedFeatures")
    expect(settings).not.toHaveProperty("unknownModels")
  }
})

test("the settings loader reads every setting", () => {
  const { settings } = load(`
server: { host: "::1", port: 0, workers: 4, drain_delay: 5s, drain: 2m, watchdog: off, public_url: https://ai.example.com/, trusted_proxies: [10.0.0.0/8, "fd00::1"] }
admin_token: 0123456789abcdef
limits: { body_mb: 1.5, response_mb: 48, memory_mb: 512, media_mb: 2.5, media_private: true }
timeouts: { connect: 500ms, first_byte: 5m, idle: 1.5, total: 1h }
idempotency: { response_mb: 0.5, account_mb: 10, total_mb: 100 }
responses: { keep: 2h, account_mb: 10, total_mb: 100 }
disconnect: drain
disconnect_limit: 90s
multiplier: "1.25"
unpriced_features: allow
vendor_state: any
unknown_models: { price: { input: 5, output: 50 } }
prices: { refresh: https://prices.example.com/list.json, apply: increases, keys: ["1qeCJ6VQsc3i6eGleOY/PxnMIK5P1iJbLN2M8efZ0zA="] }
providers:
  far:
    vendor: openai
    api_key: sk-1
    headers: { X-Team: blue, authorization: "Bearer \${TOKEN:-none}" }
    known_models: false
    dialects: [openai-responses]
    prices: { search: 10000, file_search: 2500, modes: { priority: 2, flex: 0.5 } }
models:
  far/big:
    owned_by: somebody
    dialects: [openai-chat]
    price:
      input: 1
      cache_write_1h: 2.50
      audio_output: 80
      tiers: [{ above: 200000, input: 2, output: 4.0 }]
      modes: { fast: 6, flex: { input: 0.5, tiers: [{ above: 200000, input: 1 }] } }
    deployments:
      - { weight: 3, dialects: [openai-responses, openai-chat] }
      - { model: "bigger:latest", weight: 0, price: { input: 0 } }
`)
  expect(settings.server).toMatchObject({
    host: "::1",
    port: 0,
    workers: 4,
    drainDelay: 5_000,
    drain: 120_000,
    watchdog: 0,
    trustedProxies: ["10.0.0.0/8", "fd00::1"],
  })
  expect(settings.publicUrl).toBe("https://ai.example.com")
  expect(settings.adminToken).toBe("0123456789abcdef")
  expect(settings.limits).toEqual({
    bodyBytes: 1_572_864,
    responseBytes: 50_331_648,
    memoryBytes: 536_870_912,
    mediaBytes: 2_621_440,
    mediaPrivate: true,
  })
  expect(settings.idempotency).toEqual({
    responseBytes: 524_288,
    accountBytes: 10_485_760,
    totalBytes: 104_857_600,
  })
  expect(settings.responses).toEqual({
    keep: 7_200_000,
    accountBytes: 10_485_760,
    totalBytes: 104_857_600,
  })
  expect(settings.timeouts).toEqual({
    connect: 500,
    firstByte: 300_000,
    idle: 1_500,
    total: 3_600_000,
  })
  expect(settings).toMatchObject({ disconnect: "drain", disconnectLimit: 90_000 })
  expect(settings.multiplier).toBe("1.25")
  expect(settings.prices).toEqual({
    refresh: "https://prices.example.com/list.json",
    apply: "increases",
    keys: ["1qeCJ6VQsc3i6eGleOY/PxnMIK5P1iJbLN2M8efZ0zA="],
  })
  expect(settings.unknownModels).toEqual({ price: { input: "5", output: "50" } })
  expect(settings.vendorState).toBe("any")
  expect(settings.providers.far).toMatchObject({
    headers: { "x-team": "blue", authorization: "Bearer none" },
    knownModels: false,
    dialects: ["openai-responses"],
    prices: { search: "10000", file_search: "2500", modes: { priority: "2", flex: "0.5" } },
  })
  expect(settings.unpricedFeatures).toBe("allow")
  expect(settings.models["far/big"]).toEqual({
    ownedBy: "somebody",
    dialects: ["openai-chat"],
    price: {
      input: "1",
      cache_write_1h: "2.50",
      audio_output: "80",
      tiers: [{ above: 200_000, input: "2", output: "4.0" }],
      modes: { fast: "6", flex: { input: "0.5", tiers: [{ above: 200_000, input: "1" }] } },
    },
    deployments: [
      {
        provider: "far",
        model: "big",
        weight: 3,
        dialects: ["openai-responses", "openai-chat"],
      },
      { provider: "far", model: "bigger:latest", weight: 0, price: { input: "0" } },
    ],
  })
})

test("YAML anchors and aliases can share a price", () => {
  const { settings } = load(`
providers: { local: { vendor: ollama } }
models:
  local/a: { price: &cheap { input: 0.10 } }
  local/b: { price: *cheap }
`)
  expect(settings.models["local/b"]?.price).toEqual({ input: "0.10" })
})

test("thousands of models can share the values of one anchor", () => {
  const models = Array.from({ length: 2_000 }, (_, index) => `  local/m${index}: *cheap`)
  const { settings } = load(`
x-cheap: &cheap { price: { input: 0.10 } }
providers: { local: { vendor: ollama } }
models:
${models.join("\n")}
`)
  expect(Object.keys(settings.models)).toHaveLength(2_000)
  expect(settings.models["local/m1999"]?.price).toEqual({ input: "0.10" })
})

test("YAML merge keys, and top-level names that begin with x-, can share values", () => {
  const { settings, warnings } = load(
    `
x-account: &account { vendor: ollama, api_key: "\${KEY}", headers: { x-team: a } }
x-prices:
  - &cheap { input: 0.10, output: 1 }
  - &cached { cached_input: 0.01, output: 9 }
x-note: any value
providers:
  one: { <<: *account, base_url: "http://one/v1" }
  two:
    <<: *account
    api_key: other
models:
  one/a: { price: { <<: [*cheap, *cached], input: 0.20 } }
`,
    { KEY: "k" },
  )
  expect(settings.providers["one"]).toMatchObject({ apiKey: "k", baseUrl: "http://one/v1" })
  expect(settings.providers["two"]).toMatchObject({ apiKey: "other", headers: { "x-team": "a" } })
  expect(settings.models["one/a"]?.price).toEqual({
    input: "0.20",
    output: "1",
    cached_input: "0.01",
  })
  expect(warnings).toEqual([])
})

test("inherited names such as 'constructor' are not settings", () => {
  const { settings } = load("")
  expect(settings.providers.constructor).toBeUndefined()
  expect(settings.models.toString).toBeUndefined()
})

function find(file: string | undefined, environment: Record<string, string>): LoadedSettings {
  return loadSettings({ ...(file === undefined ? {} : { file }), environment, vendors: VENDORS })
}

test("the settings file is found by option, by variable or by its default name, and may be missing", () => {
  using folder = new Folder()
  folder.write("server: { port: 1 }")
  const named = find(folder.file, { TOLLGATE_CONFIG: "absent.yaml" })
  expect(named.settings.server.port).toBe(1)
  expect(find(undefined, { TOLLGATE_CONFIG: folder.file }).file).toBe(folder.file)

  const before = process.cwd()
  try {
    process.chdir(folder.path)
    const found = find(undefined, {})
    expect(found.settings.server.port).toBe(1)
    expect(found.file).toBe(folder.file)
    process.chdir(mkdtempSync(join(tmpdir(), "tollgate-empty-")))
    const none = find(undefined, { TOLLGATE_CONFIG: "" })
    expect(none).not.toHaveProperty("file")
    expect(none.settings.server.port).toBe(8787)
  } finally {
    process.chdir(before)
  }
})

test("a settings file given explicitly must exist and be readable", () => {
  using folder = new Folder()
  expect(() => find(folder.file, {})).toThrow(`--config: there is no file ${folder.file}`)
  expect(() => find(undefined, { TOLLGATE_CONFIG: folder.file })).toThrow(
    "TOLLGATE_CONFIG: there is no",
  )
  expect(() => find(folder.path, {})).toThrow("cannot be read (EISDIR)")
  expect(() => find(folder.file, { TOLLGATE_PORT: "x" })).toThrow("TOLLGATE_PORT: must be")
})

test("the data directory is found by option, variable, file or default", () => {
  using folder = new Folder()
  folder.write("data: books")
  const data = (environment: Record<string, string>, dataDirectory?: string) =>
    loadSettings({
      ...folder.options(environment),
      ...(dataDirectory === undefined ? {} : { dataDirectory }),
    }).settings.data
  expect(data({})).toBe(join(dirname(folder.file), "books"))
  expect(data({ TOLLGATE_DATA: "elsewhere" })).toBe(resolve("elsewhere"))
  expect(data({ TOLLGATE_DATA: "elsewhere" }, "here")).toBe(resolve("here"))
})
