import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor(() => Response.json(wholeResponse()))
  const at = (dialect: string) => ({ ...provider(vendor.url), dialects: [dialect] })
  gateway = await startGateway({
    providers: {
      up: provider(vendor.url),
      responses: at("openai-responses"),
      messages: at("anthropic-messages"),
    },
    models: {
      "up/chat": simulated(),
      "responses/m": simulated(),
      "messages/m": simulated(),
      "up/vectors": { kind: "embedding", price: { input: "1" } },
      "up/rank": { kind: "rerank", price: { search: "1" } },
      "up/paint": { kind: "image", price: { image: "1" } },
      "up/say": { kind: "speech", price: { character: "1" } },
      "up/hear": { kind: "transcription", price: { second: "1" } },
    },
  })
  caller = await gateway.caller("10", { models: ["up/*", "responses/m", "messages/m"] })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const CONTENTS = [{ role: "user", parts: [{ text: "Hello" }] }]
const ENDPOINTS: Readonly<Record<string, object>> = {
  "/v1/chat/completions": { model: "up/chat", messages: HELLO },
  "/v1/responses": { model: "responses/m", input: "Hello" },
  "/v1/responses/compact": { model: "responses/m", input: "Hello" },
  "/v1/messages": { model: "messages/m", messages: HELLO, max_tokens: 5 },
  "/v1beta/models/up/chat:generateContent": { contents: CONTENTS },
  "/v1beta/models/up/vectors:embedContent": { content: CONTENTS[0] },
  "/v1/embeddings": { model: "up/vectors", input: "Hello" },
  "/v1/rerank": { model: "up/rank", query: "q", documents: ["a"] },
  "/v2/rerank": { model: "up/rank", query: "q", documents: ["a"] },
  "/v1/images/generations": { model: "up/paint", prompt: "An owl" },
  "/v1/audio/speech": { model: "up/say", input: "Hello", voice: "alloy" },
}

describe("validation of field names with different letter case", () => {
  for (const [path, body] of Object.entries(ENDPOINTS)) {
    for (const [name, value] of Object.entries({
      Model: "up/dear",
      Service_Tier: "priority",
      N: 9,
    })) {
      test(`rejects ${name} at ${path}, and sends nothing to the vendor`, async () => {
        const sent = vendor.bodies.length
        const response = await caller.post(path, { ...body, [name]: value })
        expect(response.status).toBe(400)
        expect(await response.text()).toContain(`Unknown parameter: '${name}'`)
        expect(vendor.bodies.length).toBe(sent)
      })
    }
  }

  test("rejects the field `model` in a transcription form", async () => {
    const form = new FormData()
    form.set("model", "up/hear")
    form.set("Model", "up/dear")
    form.set("file", new File([new Uint8Array(64)], "a.wav"))
    const { status, message } = await errorOf(await postForm(form))
    expect(status).toBe(400)
    expect(message).toContain("Unknown parameter: 'Model'")
  })
})

function postForm(form: FormData): Promise<Response> {
  const headers = { authorization: `Bearer ${caller.key}` }
  return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: "POST", headers, body: form })
}

test("an output limit with a name from another API is rejected, and nothing is sent to the vendor", async () => {
  const sent = vendor.bodies.length
  const body = { model: "up/chat", messages: HELLO, max_tokens: 1, n_predict: 8_000 }
  const { status, message } = await errorOf(await caller.post(CHAT, body))
  expect(status).toBe(400)
  expect(message).toBe(
    "'n_predict' is not a parameter of this endpoint. Limit the output with 'max_tokens'.",
  )
  expect(vendor.bodies.length).toBe(sent)
})

test("the vendor receives the value of a repeated field that the gateway has read", async () => {
  const messages = JSON.stringify(HELLO)
  const body = `{"model":"up/dear","max_tokens":8000,"messages":${messages},"model":"up/chat","max_tokens":5}`
  const headers = { authorization: `Bearer ${caller.key}`, "content-type": "application/json" }
  const response = await fetch(`${gateway.url}${CHAT}`, { method: "POST", headers, body })
  expect(response.status).toBe(200)
  expect(vendor.bodies.at(-1)).toEqual({ model: "chat", max_tokens: 5, messages: HELLO })
})

test("a form that repeats a field is rejected", async () => {
  const form = new FormData()
  form.append("model", "up/hear")
  form.append("model", "up/dear")
  form.set("file", new File([new Uint8Array(64)], "a.wav"))
  const { status, message } = await errorOf(await postForm(form))
  expect(status).toBe(400)
  expect(message).toContain("'model' was given more than once")
})
