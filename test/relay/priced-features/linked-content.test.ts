import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, creditsOf, errorOf, nanocredits } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  vendor = startVendor(() => Response.json(wholeResponse()))
  gateway = await startGateway({
    providers: { vendor: provider(vendor.url), openai: provider(vendor.url, "openai") },
    models: { "vendor/m": simulated({ maxOutput: 10 }), "openai/m": simulated({ maxOutput: 10 }) },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const FILM = "https://example.com/long"
const RESPONSES = "/v1/responses"

const chat = (part: object): object => ({
  model: "vendor/m",
  messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }, part] }],
})
const found = (part: object): object => ({
  model: "openai/m",
  input: [
    { type: "custom_tool_call", call_id: "c", name: "look", input: "" },
    { type: "custom_tool_call_output", call_id: "c", output: [part] },
  ],
})

const LINKED: readonly [name: string, path: string, body: object][] = [
  ["a video", CHAT, chat({ type: "video_url", video_url: { url: FILM } })],
  ["a document", CHAT, chat({ type: "document_url", document_url: FILM })],
  ["a file", CHAT, chat({ type: "file_url", file_url: { url: FILM } })],
  ["a file found by a tool", RESPONSES, found({ type: "input_file", file_url: FILM })],
]

describe("linked content that only the vendor can measure", () => {
  for (const [name, path, body] of LINKED) {
    test(`requires a hold for the whole context: ${name}`, async () => {
      const rich = await gateway.caller("10")
      const told = await rich.post("/v1/estimate", { path, body })
      const { most } = (await told.json()) as { most: string }
      // The maximum is a context of 100,000 tokens and ten tokens of output.
      expect(nanocredits(most)).toBe(100_000n * 1_000n + 10n * 2_000n)

      const sent = vendor.bodies.length
      const poor = await gateway.caller("0.01")
      expect(await errorOf(await poor.post(path, body))).toMatchObject({ status: 402 })
      expect(vendor.bodies).toHaveLength(sent)
      expect(await creditsOf(poor)).toMatchObject({ balance: "0.01", held: "0" })
    })
  }

  test("does not increase the hold if its URL is part of an earlier search call", async () => {
    const caller = await gateway.caller("10")
    const call = { type: "web_search_call", id: "ws", action: { type: "open_page", url: FILM } }
    const body = { model: "openai/m", input: [call, { role: "user", content: "Hi" }] }
    const told = await caller.post("/v1/estimate", { path: RESPONSES, body })
    const { most } = (await told.json()) as { most: string }
    expect(nanocredits(most)).toBeLessThan(1_000_000n)
  })
})
