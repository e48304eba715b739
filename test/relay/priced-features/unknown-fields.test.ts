import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ProviderSettings } from "../../../src/config/settings.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { wave } from "../../support/audio.ts"
import { png, pngFile } from "../../support/png.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { creditsOf, errorOf, HELLO } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway

/** The providers, each with the format in which it is called. */
const PROVIDERS: Readonly<Record<string, readonly [vendor: string, dialect?: string]>> = {
  chat: ["openai-compatible", "openai-chat"],
  responses: ["openai-compatible", "openai-responses"],
  messages: ["openai-compatible", "anthropic-messages"],
  router: ["openrouter"],
  vercel: ["vercel"],
  tencent: ["tencent"],
  gemini: ["google"],
}

beforeAll(async () => {
  vendor = startVendor(() =>
    Response.json({ error: { message: "unexpected call" } }, { status: 400 }),
  )
  const providers = Object.fromEntries(
    Object.entries(PROVIDERS).map(([name, [id, dialect]]): [string, ProviderSettings] => [
      name,
      {
        ...provider(vendor.url, id),
        ...(dialect && dialect !== "openai-chat" && { dialects: [dialect] }),
      },
    ]),
  )
  const allowing = provider(vendor.url, "openai-compatible")
  providers["allowing"] = { ...allowing, extraFields: ["extra"] }
  const models = Object.fromEntries(
    Object.keys(providers).flatMap((name) => {
      const deployments = [{ provider: name, model: "up", weight: 1 }]
      return [
        [`${name}/m`, { ...simulated({ context: 1_000_000, maxOutput: 50 }), deployments }],
        [
          `${name}/dear`,
          {
            ...simulated({ context: 1_000_000, maxOutput: 50 }),
            deployments: [{ provider: name, model: "dear", weight: 1 }],
          },
        ],
        [`${name}/vectors`, { kind: "embedding", price: { input: "1" }, deployments }],
        [`${name}/ranks`, { kind: "rerank", price: { input: "1" }, deployments }],
        [`${name}/voice`, { kind: "speech", price: { character: "15" }, deployments }],
        [`${name}/images`, { kind: "image", price: { image: "10000" }, deployments }],
        [`${name}/checks`, { kind: "moderation", price: { input: "1" }, deployments }],
        [`${name}/ears`, { kind: "transcription", price: { second: "100" }, deployments }],
      ]
    }),
  )
  gateway = await startGateway({ providers, models })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const FALLBACK = { model: "dear", max_tokens: 65_000 }

/** Fields, and the places that errors name. */
const FIELDS: readonly [place: string, fields: Record<string, unknown>][] = [
  ["context_window_fallbacks", { context_window_fallbacks: [{ m: ["dear"] }] }],
  ["Content_Policy_Fallbacks", { Content_Policy_Fallbacks: [{ m: ["dear"] }] }],
  ["extra", { extra: { settings: { a: "b" } } }],
  ["additional_drop_params", { additional_drop_params: ["max_tokens"] }],
  ["prompt_id", { prompt_id: "stored" }],
  ["vector_store_ids", { vector_store_ids: ["stored"] }],
  ["deferred", { deferred: true }],
  ["context_window_fallback_dict", { context_window_fallback_dict: { small: "large" } }],
  ["mock_testing_fallbacks", { mock_testing_fallbacks: true }],
  ["extra_headers", { extra_headers: { "x-priority": "1" } }],
  ["api_base", { api_base: "https://example.com" }],
  ["thinkingBudget", { thinkingBudget: 60_000 }],
  ["inferenceRegion", { inferenceRegion: "eu" }],
  ["requestPriority", { requestPriority: "high" }],
  ["web_search", { web_search: { enable: true } }],
  ["cachedContents", { cachedContents: "cachedContents/1" }],
]

const CHATS: readonly [provider: string, path: string, body: object][] = [
  ...["chat", "router", "vercel"].map((name): [string, string, object] => [
    name,
    "/v1/chat/completions",
    { messages: HELLO, max_tokens: 50 },
  ]),
  ["responses", "/v1/responses", { input: "Hi", max_output_tokens: 50 }],
  ["messages", "/v1/messages", { messages: HELLO, max_tokens: 50 }],
]

describe("undocumented fields, and fields whose names suggest an effect on the bill", () => {
  for (const [name, path, body] of CHATS) {
    test(`cause an error at ${path} of ${name}, whole and streamed`, async () => {
      const caller = await gateway.caller("1")
      const sent = vendor.bodies.length
      for (const [place, fields] of FIELDS) {
        for (const stream of [false, true]) {
          const error = await errorOf(
            await caller.post(path, { model: `${name}/m`, ...body, ...fields, stream }),
          )
          expect([place, error.status]).toEqual([place, 400])
          expect(error.message).toStartWith(`\`${place}\` `)
        }
      }
      expect(vendor.bodies.length).toBe(sent)
      expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
    })
  }

  test.each([
    ["/v1/embeddings", { model: "chat/vectors", input: "Hi" }],
    ["/v1/rerank", { model: "chat/ranks", query: "a", documents: ["b"] }],
    ["/v1/audio/speech", { model: "chat/voice", input: "Hi", voice: "a" }],
    ["/v1/images/generations", { model: "chat/images", prompt: "A cat" }],
    ["/v1/moderations", { model: "chat/checks", input: "Hi" }],
  ])("cause an error at %s", async (path, body) => {
    const caller = await gateway.caller("1")
    const sent = vendor.bodies.length
    const all: [string, object][] = [
      ...FIELDS,
      ["service_tier", { service_tier: "priority" }],
      ["fallbacks[0]", { fallbacks: ["dear"] }],
      ["providerOptions", { providerOptions: { gateway: { sort: "tps" } } }],
    ]
    for (const [place, fields] of all) {
      const error = await errorOf(await caller.post(path, { ...body, ...fields }))
      expect(error).toMatchObject({ status: 400, code: "feature_not_priced", param: place })
    }
    expect(vendor.bodies.length).toBe(sent)
    expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
  })

  test("cause an error in forms with images and audio", async () => {
    const caller = await gateway.caller("1")
    for (const [path, model, file] of [
      ["/v1/images/edits", "chat/images", "image"],
      ["/v1/audio/transcriptions", "chat/ears", "file"],
    ] as const) {
      const form = new FormData()
      form.set("model", model)
      form.set("prompt", "A cat")
      form.set(file, file === "image" ? pngFile(png(4, 4)) : new File([wave(1)], "a.wav"))
      if (file === "image") form.set("mask", pngFile(png(4, 4)))
      form.set("fallbacks", "dear")
      const headers = { authorization: `Bearer ${caller.key}` }
      const response = await fetch(gateway.url + path, { method: "POST", headers, body: form })
      expect(await errorOf(response)).toMatchObject({
        status: 400,
        code: "feature_not_priced",
        param: "fallbacks",
      })
    }
    expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
  })
})

test("other vendors reject only unknown fields whose names suggest an effect on the bill", async () => {
  const caller = await gateway.caller("1")
  const body = { model: "tencent/m", messages: HELLO, max_tokens: 50 }
  const nested = { extra: { settings: { modelName: "dear" } } }
  const error = await errorOf(await caller.post("/v1/chat/completions", { ...body, ...nested }))
  expect(error).toMatchObject({ status: 400, param: "extra.settings.modelName" })
  const sent = vendor.bodies.length
  await caller.post("/v1/chat/completions", { ...body, extra: { settings: { a: "b" } } })
  expect(vendor.bodies[sent]).toMatchObject({ extra: { settings: { a: "b" } } })
})

test("a field is sent if the operator allows it for the provider, even outside chat", async () => {
  const caller = await gateway.caller("1")
  const requests: [string, object][] = [
    ["/v1/chat/completions", { model: "allowing/m", messages: HELLO, max_tokens: 50 }],
    ["/v1/embeddings", { model: "allowing/vectors", input: "Hi" }],
  ]
  for (const [path, body] of requests) {
    const sent = vendor.bodies.length
    await caller.post(path, { ...body, extra: 1 })
    expect(vendor.bodies[sent]).toMatchObject({ extra: 1 })
    const error = await errorOf(await caller.post(path, { ...body, extra: 1, other: 1 }))
    expect(error).toMatchObject({ status: 400, code: "feature_not_priced", param: "other" })
    expect(error.message).toContain("`extra_fields`")
  }
})

test("an entry of `fallbacks` may contain only the name of a model", async () => {
  const caller = await gateway.caller("1")
  for (const [name, path, body] of CHATS.filter(([name]) => name !== "vercel")) {
    for (const stream of [false, true]) {
      const fields = { ...body, stream, fallbacks: [{ model: "dear" }, FALLBACK] }
      const error = await errorOf(await caller.post(path, { model: `${name}/m`, ...fields }))
      expect([name, error.status]).toEqual([name, 400])
      expect(error.message).toContain("`fallbacks[1].max_tokens` cannot be priced")
    }
  }
})

test("fields with which Gemini chooses a model are rejected, whole and streamed", async () => {
  const caller = await gateway.caller("1")
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }]
  for (const [name, value] of [
    ["routingConfig", { manualMode: { modelName: "dear" } }],
    ["routingConfig", { autoMode: { modelRoutingPreference: "PRIORITIZE_QUALITY" } }],
    ["modelSelectionConfig", { featureSelectionPreference: "PRIORITIZE_QUALITY" }],
  ] as const) {
    for (const method of ["generateContent", "streamGenerateContent?alt=sse"]) {
      const body = { contents, generationConfig: { maxOutputTokens: 50, [name]: value } }
      const error = await errorOf(await caller.post(`/v1beta/models/gemini/m:${method}`, body))
      expect(error.status).toBe(400)
      expect(error.message).toStartWith(`\`generationConfig.${name}\` cannot be priced`)
    }
  }
  expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
})

test("options for Vercel are rejected unless they are known to have no price", async () => {
  const caller = await gateway.caller("1")
  const thinking = { type: "enabled", budgetTokens: 60_000 }
  const rejected: [string, object][] = [
    ["thinking.type", { thinking: { type: "enabled", budget_tokens: 60_000 } }],
    ["reasoning.max_tokens", { reasoning: { max_tokens: 60_000 } }],
    ...[
      ["anthropic.thinking", { anthropic: { thinking } }],
      ["vertexAnthropic.thinking", { vertexAnthropic: { thinking } }],
      ["bedrock", { bedrock: { reasoningConfig: thinking } }],
      ["openai.maxCompletionTokens", { openai: { maxCompletionTokens: 60_000 } }],
      ["openai.reasoningMode", { openai: { reasoningMode: "pro" } }],
      ["openai.promptCacheOptions", { openai: { promptCacheOptions: { ttl: "12h" } } }],
      ["google.serviceTier", { google: { serviceTier: "priority" } }],
      ["gateway.inferenceRegion", { gateway: { inferenceRegion: { scope: "zone" } } }],
      ["anthropic.mcpServers", { anthropic: { mcpServers: [{ name: "a" }] } }],
    ].map(([place, options]): [string, object] => [
      `providerOptions.${String(place)}`,
      { providerOptions: options },
    ]),
    ...[
      ["toolChanges", [{ type: "tool_addition" }]],
      ["cacheControl.ttl", { type: "ephemeral", ttl: "1h" }],
    ].map(([place, value]): [string, object] => {
      const [name = ""] = String(place).split(".")
      const part = { type: "text", text: "Hi", providerOptions: { anthropic: { [name]: value } } }
      const messages = [{ role: "user", content: [part] }]
      return [`messages[0].content[0].providerOptions.anthropic.${String(place)}`, { messages }]
    }),
  ]
  for (const [place, fields] of rejected) {
    const body = { model: "vercel/m", messages: HELLO, max_tokens: 16, ...fields }
    const error = await errorOf(await caller.post("/v1/chat/completions", body))
    expect([place, error.status]).toEqual([place, 400])
    expect(error.message).toStartWith(`\`${place}\` `)
  }
  const providerOptions = {
    gateway: { zeroDataRetention: true },
    openai: { reasoningEffort: "low" },
    google: { thinkingConfig: { thinkingBudget: 10 } },
  }
  const cached = { anthropic: { cacheControl: { type: "ephemeral" } } }
  const messages = [{ role: "user", content: "Hi", providerOptions: cached }]
  const sent = vendor.bodies.length
  await caller.post("/v1/chat/completions", {
    model: "vercel/m",
    messages,
    max_tokens: 16,
    providerOptions,
  })
  expect(vendor.bodies[sent]).toMatchObject({ messages, providerOptions })
})

test("a function tool that contains a member of another format is rejected", async () => {
  const caller = await gateway.caller("1")
  const own = { type: "function", function: { name: "f", parameters: {} } }
  const tools = [own, { ...own, googleSearch: {} }]
  const body = { model: "chat/m", messages: HELLO, max_tokens: 16, tools }
  const error = await errorOf(await caller.post("/v1/chat/completions", body))
  expect(error).toMatchObject({
    status: 400,
    code: "feature_not_priced",
    param: "tools[1].googleSearch",
  })
})
