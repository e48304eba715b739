import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { SseParser } from "../../../src/wire/sse.ts"
import { CHAT, errorOf, HELLO } from "../support.ts"

const WORDS = "The vendor is out of breath"
const CHUNK = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "x" }

/** Frames without content for the caller. A stream can end directly after them in several ways. */
const OPENINGS = {
  role: { ...CHUNK, choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
  azure: { ...CHUNK, choices: [], prompt_filter_results: [] },
}
const ENDS = {
  error: `data: ${JSON.stringify({ error: { message: WORDS, type: "server_error" } })}\n\n`,
  broken: "data: {not json}\n\n",
}

const PATHS = {
  [CHAT]: { messages: HELLO },
  "/v1/messages": { messages: HELLO, max_tokens: 100 },
  "/v1/responses": { input: "Hello" },
}

let vendor: ScriptedVendor
let gateway: TestGateway
let chunk = ""

beforeAll(async () => {
  vendor = startVendor(() => streamed([chunk]))
  gateway = await startGateway({
    providers: { scripted: provider(vendor.url) },
    models: { "scripted/merged": simulated() },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

for (const [opening, first] of Object.entries(OPENINGS)) {
  for (const [end, last] of Object.entries(ENDS)) {
    for (const [path, body] of Object.entries(PATHS)) {
      test(`a chunk that contains both ${opening} and ${end} results in an error at ${path}`, async () => {
        chunk = `data: ${JSON.stringify(first)}\n\n${last}`
        const caller = await gateway.caller("1")
        const response = await caller.post(path, {
          model: "scripted/merged",
          stream: true,
          ...body,
        })
        if (response.status === 200) {
          expect(await response.text()).toContain('"error"')
        } else {
          const error = await errorOf(response)
          expect(error.status).toBe(502)
          // A provider's message about its own failure may concern the operator's account, so it is not passed on.
          if (end === "error") expect(error.message).not.toContain(WORDS)
        }
        expect((await caller.get("/healthz")).status).toBe(200)
        expect(await caller.balance()).toBe(1_000_000_000n)
      })
    }
  }
}

test("a chunk whose JSON has several lines reaches a caller of the same format in one event", async () => {
  const choice = { index: 0, delta: { role: "assistant", content: "Hello" }, finish_reason: "stop" }
  const sent = { ...CHUNK, created: 1_764_000_000, model: "scripted/merged", choices: [choice] }
  const lines = JSON.stringify(sent, null, 2).replaceAll("\n", "\ndata: ")
  chunk = `data: ${lines}\n\ndata: [DONE]\n\n`
  const caller = await gateway.caller("1")
  const body = { model: "scripted/merged", messages: HELLO, stream: true }
  const response = await caller.post(CHAT, body)
  const [first] = new SseParser().push(await response.bytes())
  expect(JSON.parse(first?.data ?? "")).toMatchObject({ choices: [choice] })
})
