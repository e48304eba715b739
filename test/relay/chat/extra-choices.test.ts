import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO } from "../support.ts"

/** The usage of providers that return more choices than were requested. */

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const TOKENS = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
/** Number of choices in each response. */
const RETURNED = 5

let vendor: ScriptedVendor
let gateway: TestGateway

function responseTo(path: string, isStream: boolean): object {
  const indexes = Array.from({ length: RETURNED }, (_, index) => index)
  if (path.includes("enerateContent")) {
    const candidates = indexes.map((index) => ({
      content: { role: "model", parts: [{ text: `choice-${index}` }] },
      finishReason: "STOP",
      index,
    }))
    return { candidates, usageMetadata: TOKENS }
  }
  const choices = indexes.map((index) => ({
    index,
    [isStream ? "delta" : "message"]: { role: "assistant", content: `choice-${index}` },
    finish_reason: "stop",
  }))
  const object = isStream ? "chat.completion.chunk" : "chat.completion"
  return { id: "c", object, created: 1, model: "up", choices, usage: USAGE }
}

beforeAll(async () => {
  vendor = startVendor((request) => {
    const { pathname } = new URL(request.url)
    const isStream = /stream/i.test(pathname) || vendor.bodies.at(-1)?.["stream"] === true
    const response = responseTo(pathname, isStream)
    if (!isStream) return Response.json(response)
    const end = pathname.includes("enerateContent") ? "" : "data: [DONE]\n\n"
    const headers = { "content-type": "text/event-stream" }
    return new Response(`data: ${JSON.stringify(response)}\n\n${end}`, { headers })
  })
  gateway = await startGateway({
    providers: {
      openai: provider(vendor.url, "openai"),
      google: provider(vendor.url.replace(/\/v1$/, ""), "google"),
    },
    models: { "openai/m": simulated(), "google/m": simulated() },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

for (const model of ["openai/m", "google/m"]) {
  for (const stream of [false, true]) {
    for (const n of [1, 2]) {
      const generate = stream ? "streamGenerateContent?alt=sse" : "generateContent"
      const contents = [{ role: "user", parts: [{ text: "Hello" }] }]
      const callerFormats: [string, object][] = [
        [CHAT, { model, messages: HELLO, n, stream }],
        [
          `/v1beta/models/${encodeURIComponent(model)}:${generate}`,
          { contents, generationConfig: { candidateCount: n } },
        ],
      ]
      if (n === 1)
        callerFormats.push(["/v1/messages", { model, messages: HELLO, max_tokens: 50, stream }])
      // OpenAI supports the Responses API itself, which has no choices.
      const hasResponses = n === 1 && model !== "openai/m"
      if (hasResponses) callerFormats.push(["/v1/responses", { model, input: "Hello", stream }])
      for (const [path, body] of callerFormats) {
        test(`the caller gets ${n} of ${RETURNED} choices of ${model} at ${path}, streamed: ${stream}`, async () => {
          const caller = await gateway.caller("10")
          const posted = await caller.post(path, body)
          const text = await posted.text()
          expect(posted.status, text).toBe(200)
          const returned = new Set(text.match(/choice-\d/g))
          expect(returned.size, text).toBe(n)
          expect(text).not.toContain('"choices":[]}')
        })
      }
    }
  }
}
