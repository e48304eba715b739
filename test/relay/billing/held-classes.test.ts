import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { ProviderSettings } from "../../../src/config/settings.ts"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, nanocredits, receiptOf } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway

const GEMINI_RESPONSE = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 1, totalTokenCount: 9 },
}

/** A model that is only used for estimates, so no tokens are requested from it. */
const ROBOT = {
  clientEmail: "a@b.c",
  privateKey: "none",
  tokenUri: "http://127.0.0.1:9/",
  projectId: "p",
}

/** Returns the settings of a provider with its built-in models and prices. */
function known(vendorId: string): ProviderSettings {
  return { ...provider(vendor.url, vendorId), knownModels: true }
}

beforeAll(async () => {
  vendor = startVendor(() => Response.json(GEMINI_RESPONSE))
  gateway = await startGateway({
    providers: {
      google: known("google"),
      vertex: { ...known("vertex"), project: "p", location: "us-central1", credentials: ROBOT },
      perplexity: known("perplexity"),
      openai: known("openai"),
      anthropic: known("anthropic"),
      custom: provider(vendor.url),
    },
    models: {
      "custom/searching": {
        kind: "chat",
        price: { input: "1", output: "2", search: "10000" },
        ownSearches: 7,
        context: 100_000,
      },
      "custom/plain": { kind: "chat", price: { input: "1", output: "2", search: "10000" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

interface Part {
  readonly lines: readonly {
    readonly name: string
    readonly quantity: number
    readonly per_million: string
  }[]
}

async function estimate(
  path: string,
  body: JsonObject,
): Promise<{ most: bigint; lines: Part["lines"] }> {
  const caller = await gateway.caller("1000")
  const response = await caller.post("/v1/estimate", { path, body })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  const { most, parts } = JSON.parse(text) as { most: string; parts: Part[] }
  return { most: nanocredits(most), lines: parts.flatMap(({ lines }) => lines) }
}

/** Returns the rate in credits per million at which a kind of tokens is held. */
async function rateOf(name: string, body: JsonObject): Promise<number> {
  const { lines } = await estimate(CHAT, body)
  return Number(lines.find((line) => line.name === name)?.per_million)
}

describe("the hold for searches", () => {
  for (const model of ["google/gemini-2.5-flash", "vertex/gemini-2.5-flash"]) {
    test(`equals zero for ${model} without a search tool`, async () => {
      const { most, lines } = await estimate(CHAT, { model, messages: HELLO, max_tokens: 100 })
      expect(lines.map(({ name }) => name)).toEqual(["input", "output"])
      expect(most).toBeLessThan(1_000_000n)
    })
  }

  test("covers a search tool, with one search for older models", async () => {
    const path = "/v1beta/models/google/gemini-2.5-flash:generateContent"
    const body = {
      model: "google/gemini-2.5-flash",
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      tools: [{ googleSearch: {} }],
    }
    const { most, lines } = await estimate(path, body)
    expect(lines).toContainEqual(expect.objectContaining({ name: "request", credits: "0.035" }))
    expect(most).toBeGreaterThan(35_000_000n)
  })

  test("equals less than 0.001 credits for a request without a search", async () => {
    const caller = await gateway.caller("1")
    const body = { model: "google/gemini-2.5-flash", messages: HELLO, max_tokens: 100 }
    const response = await caller.post(CHAT, body)
    expect(response.status).toBe(200)
    expect(nanocredits((await receiptOf(caller, response)).hold)).toBeLessThan(1_000_000n)
  })

  test("covers the searches of models that search even without a search tool", async () => {
    const body = { model: "perplexity/sonar-deep-research", messages: HELLO, max_tokens: 100 }
    const { lines } = await estimate(CHAT, body)
    expect(lines.map(({ name }) => name)).toEqual(["input", "output", "reasoning_output", "search"])
    expect(lines.at(-1)).toMatchObject({ quantity: 30, per_million: "5000" })
  })

  test("equals the request's price for models with a price per request", async () => {
    const body = { model: "perplexity/sonar", messages: HELLO, max_tokens: 100 }
    const { lines } = await estimate(CHAT, body)
    expect(lines.map(({ name }) => name)).toEqual(["input", "output", "request"])
  })

  test("follows the setting `own_searches`", async () => {
    const { lines } = await estimate(CHAT, { model: "custom/searching", messages: HELLO })
    expect(lines.find(({ name }) => name === "search")).toMatchObject({ quantity: 7 })
    const plain = await estimate(CHAT, { model: "custom/plain", messages: HELLO })
    expect(plain.lines.map(({ name }) => name)).toEqual(["input", "output"])
  })
})

describe("the hold for tokens", () => {
  const SOUND = {
    type: "input_audio",
    input_audio: { data: Buffer.alloc(900).toString("base64"), format: "wav" },
  }

  test("uses the audio rates only if the request contains audio", async () => {
    const body = { model: "openai/gpt-audio", messages: HELLO, max_tokens: 100 }
    expect(await rateOf("input", body)).toBe(2.5)
    expect(await rateOf("output", body)).toBe(10)
    const heard = { ...body, messages: [{ role: "user", content: [SOUND] }] }
    expect(await rateOf("input", heard)).toBe(32)
    const spoken = {
      ...body,
      modalities: ["text", "audio"],
      audio: { voice: "ash", format: "wav" },
    }
    expect(await rateOf("output", spoken)).toBe(64)
    expect(await rateOf("output", { ...body, modalities: ["text"] })).toBe(10)
  })

  for (const [where, body] of Object.entries({
    "a text": {
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral", ttl: "1h" } }],
        },
      ],
    },
    "a system prompt": {
      system: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral", ttl: "1h" } }],
      messages: HELLO,
    },
    "a tool": {
      tools: [
        {
          name: "f",
          input_schema: { type: "object" },
          cache_control: { type: "ephemeral", ttl: "1h" },
        },
      ],
      messages: HELLO,
    },
    "a tool of the vendor": {
      tools: [
        {
          type: "web_search_20250305",
          name: "web_search",
          cache_control: { type: "ephemeral", ttl: "1h" },
        },
      ],
      messages: HELLO,
    },
    "a search result": {
      messages: [
        {
          role: "user",
          content: [
            {
              type: "search_result",
              source: "s",
              title: "t",
              content: [{ type: "text", text: "Hi" }],
              cache_control: { type: "ephemeral", ttl: "1h" },
            },
          ],
        },
      ],
    },
    "a text of a document": {
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              source: {
                type: "content",
                content: [
                  { type: "text", text: "Hi", cache_control: { type: "ephemeral", ttl: "1h" } },
                ],
              },
            },
          ],
        },
      ],
    },
    "the request": { cache_control: { type: "ephemeral", ttl: "1h" }, messages: HELLO },
  })) {
    test(`uses the price of a one-hour cache write if ${where} requests it`, async () => {
      const model = "anthropic/claude-sonnet-4-6"
      const { lines } = await estimate("/v1/messages", { model, max_tokens: 100, ...body })
      expect(lines.find(({ name }) => name === "input")?.per_million).toBe("6")
    })
  }

  test("uses the price of the shorter cache write if the request does not name a lifetime", async () => {
    const model = "anthropic/claude-sonnet-4-6"
    const body = { model, max_tokens: 100, messages: HELLO }
    const { lines } = await estimate("/v1/messages", body)
    expect(lines.find(({ name }) => name === "input")?.per_million).toBe("3.75")
  })
})

describe("the hold for a document sent as text", () => {
  for (const size of [1_000, 100_000, 700_000, 3_000_000]) {
    test(`covers its ${size} bytes, up to the model's context`, async () => {
      const source = { type: "text", media_type: "text/plain", data: "word ".repeat(size / 5) }
      const messages = [{ role: "user", content: [{ type: "document", source }] }]
      const body = { model: "anthropic/claude-sonnet-4-6", max_tokens: 100, messages }
      const { lines } = await estimate("/v1/messages", body)
      const held = lines.find(({ name }) => name === "input")?.quantity ?? 0
      expect(held).toBeGreaterThanOrEqual(Math.min(size, 200_000))
    })
  }
})

test("a model with paid searches is rejected if the credits do not cover the searches", async () => {
  const caller = await gateway.caller("0.05")
  const body = { model: "custom/searching", messages: HELLO, max_tokens: 10 }
  const { status, code } = await errorOf(await caller.post(CHAT, body))
  expect({ status, code }).toEqual({ status: 402, code: "insufficient_credits" })
})
