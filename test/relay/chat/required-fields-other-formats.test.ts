import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { dataOf, HELLO } from "../support.ts"

/** A vendor with the caller's own dialect that omits required fields. */
let vendor: ScriptedVendor
let gateway: TestGateway
let answer: () => Response

beforeAll(async () => {
  vendor = startVendor(() => answer())
  gateway = await startGateway({
    providers: {
      claude: provider(vendor.url.replace("/v1", ""), "anthropic"),
      open: provider(vendor.url),
      google: provider(vendor.url.replace("/v1", ""), "google"),
    },
    models: {
      "claude/model": simulated(),
      "open/model": simulated({ dialects: ["openai-responses"] }),
      "google/model": simulated(),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

type Json = Readonly<Record<string, unknown>>

async function ask(path: string, body: object, said: Response): Promise<string> {
  answer = () => said
  const caller = await gateway.caller("1")
  const response = await caller.post(path, body)
  const text = await response.text()
  expect(`${response.status} ${text}`).toStartWith("200")
  return text
}

function framesOf(text: string): Json[] {
  return dataOf(text).map((data) => JSON.parse(data) as Json)
}

function eventsOf(events: readonly { readonly type: string }[]): Response {
  return streamed(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
}

describe("responses of /v1/messages", () => {
  const BODY = { model: "claude/model", max_tokens: 50, messages: HELLO }

  test("have every member if the vendor's whole response is nearly empty", async () => {
    const said = Response.json({ content: [{ type: "text", text: "Hi" }] })
    const message = JSON.parse(await ask("/v1/messages", BODY, said)) as Json
    expect(message).toMatchObject({
      type: "message",
      role: "assistant",
      model: "claude/model",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    })
    expect(message["id"]).toMatch(/^msg_\w{20,}$/)
  })

  test("have an id with the prefix msg_ if they contain a tool call", async () => {
    const call = { type: "tool_use", id: "a", name: "f", input: {} }
    const said = Response.json({ id: "x7", content: [call], stop_reason: null })
    const message = JSON.parse(await ask("/v1/messages", BODY, said)) as Json
    expect(message).toMatchObject({ id: "msg_x7", stop_reason: "tool_use" })
  })

  test("have every member if the vendor's stream is nearly empty", async () => {
    for (const type of ["text", "tool_use"]) {
      const block = type === "text" ? { type, text: "" } : { type, id: "a", name: "f", input: {} }
      const delta =
        type === "text"
          ? { type: "text_delta", text: "Hi" }
          : { type: "input_json_delta", partial_json: "{}" }
      const said = eventsOf([
        { type: "message_start", message: {} } as never,
        { type: "content_block_start", index: 0, content_block: block } as never,
        { type: "content_block_delta", index: 0, delta } as never,
        { type: "content_block_stop", index: 0 } as never,
        { type: "message_delta", delta: {} } as never,
        { type: "message_stop" },
      ])
      const frames = framesOf(await ask("/v1/messages", { ...BODY, stream: true }, said))
      expect(frames[0]?.["message"]).toMatchObject({
        id: expect.stringMatching(/^msg_\w{20,}$/),
        type: "message",
        role: "assistant",
        content: [],
        model: "claude/model",
        stop_reason: null,
        usage: { input_tokens: 0, output_tokens: 0 },
      })
      expect(frames.at(-2)).toMatchObject({
        delta: { stop_reason: type === "text" ? "end_turn" : "tool_use" },
        usage: { output_tokens: expect.any(Number) },
      })
    }
  })
})

test("valid numbers replace a vendor's invalid usage counts in a response of /v1/messages", async () => {
  const content = [{ type: "text", text: "Hi" }]
  const message = { content, stop_reason: "end_turn" }
  const usage = { input_tokens: "3", output_tokens: [2] }
  const asked = { model: "claude/model", max_tokens: 50, messages: HELLO }
  const whole = await ask("/v1/messages", asked, Response.json({ ...message, usage }))
  const counted = { input_tokens: 3, output_tokens: 1 }
  expect((JSON.parse(whole) as Json)["usage"]).toMatchObject(counted)

  const events = [
    { type: "message_start", message: { usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ]
  const frames = framesOf(await ask("/v1/messages", { ...asked, stream: true }, eventsOf(events)))
  expect(frames[0]).toMatchObject({ message: { usage: { input_tokens: 3, output_tokens: 0 } } })
  expect(frames.at(-2)).toMatchObject({ usage: counted })

  const output = [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }]
  const body = { model: "open/model", input: "Hello", store: false }
  const response = await ask("/v1/responses", body, Response.json({ output, usage }))
  expect((JSON.parse(response) as Json)["usage"]).toMatchObject({ ...counted, total_tokens: 4 })
})

describe("responses of /v1/responses", () => {
  const BODY = { model: "open/model", input: "Hello there, gateway", store: false }
  const MESSAGE = { type: "message", content: [{ type: "output_text", text: "Hi" }] }
  const ALWAYS = {
    object: "response",
    created_at: expect.any(Number),
    model: "open/model",
    status: "completed",
    output: [{ ...MESSAGE, role: "assistant" }],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  }
  const USAGE = { input_tokens: 3, output_tokens: 2 }

  test("have every member if the vendor's whole response is nearly empty", async () => {
    const said = Response.json({ output: [MESSAGE], usage: USAGE })
    const response = JSON.parse(await ask("/v1/responses", BODY, said)) as Json
    expect(response).toMatchObject(ALWAYS)
    expect(response["id"]).toMatch(/^resp_\w{20,}$/)
  })

  test("have every member and one id if the vendor's stream is nearly empty", async () => {
    const place = { output_index: 0, content_index: 0 }
    const said = eventsOf([
      { type: "response.created", response: {} } as never,
      { type: "response.output_text.delta", ...place, delta: "Hi" } as never,
      { type: "response.completed", response: { output: [MESSAGE], usage: USAGE } } as never,
    ])
    const frames = framesOf(await ask("/v1/responses", { ...BODY, stream: true }, said))
    const [first, last] = [frames[0]?.["response"], frames.at(-1)?.["response"]] as [Json, Json]
    expect(last).toMatchObject(ALWAYS)
    expect(first).toMatchObject({ object: "response", status: "in_progress", output: [] })
    expect(last["id"]).toMatch(/^resp_\w{20,}$/)
    expect([first["id"], first["created_at"]]).toEqual([last["id"], last["created_at"]])
  })
})

describe("responses of /v1beta/models", () => {
  const PATH = "/v1beta/models/google/model"
  const BODY = { contents: [{ role: "user", parts: [{ text: "Hello there, gateway" }] }] }
  const PARTS = [{ text: "Hi" }]
  const CANDIDATE = { index: 0, content: { role: "model", parts: PARTS }, finishReason: "STOP" }
  const COUNTS = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 }

  test("have every member if the vendor's whole response is nearly empty", async () => {
    const said = Response.json({ candidates: [{ content: { parts: PARTS } }] })
    const answer = JSON.parse(await ask(`${PATH}:generateContent`, BODY, said)) as Json
    expect(answer).toMatchObject({
      candidates: [CANDIDATE],
      modelVersion: "google/model",
      responseId: expect.any(String),
      usageMetadata: { promptTokenCount: expect.any(Number), totalTokenCount: expect.any(Number) },
    })
  })

  test("contain valid values in place of the vendor's invalid indexes, roles and counts", async () => {
    for (const odd of [null, "", true, [1], { x: 1 }]) {
      const candidate = { index: odd, content: { role: odd, parts: [...PARTS, odd] } }
      const said = Response.json({
        candidates: [{ ...candidate, finishReason: "STOP" }, true],
        usageMetadata: { ...COUNTS, totalTokenCount: odd },
        responseId: odd,
      })
      const answer = JSON.parse(await ask(`${PATH}:generateContent`, BODY, said)) as Json
      expect(answer).toMatchObject({ responseId: expect.stringMatching(/./) })
      expect(answer["usageMetadata"]).toMatchObject(COUNTS)
      expect((answer["candidates"] as Json[])[0]).toMatchObject({
        index: 0,
        content: { role: "model" },
      })
      expect((answer["candidates"] as Json[]).length).toBe(1)
    }
  })

  test("contain a list of parts if the vendor's parts are not a list", async () => {
    for (const parts of [null, 0, true, {}]) {
      const said = Response.json({ candidates: [{ content: { parts }, finishReason: "STOP" }] })
      const answer = JSON.parse(await ask(`${PATH}:generateContent`, BODY, said)) as Json
      expect(answer["candidates"]).toEqual([
        { index: 0, content: { role: "model", parts: [] }, finishReason: "STOP" },
      ])
    }
  })

  test("have every member and one id if the vendor's stream is nearly empty", async () => {
    for (const odd of [undefined, null, true]) {
      const said = streamed(
        [
          { candidates: [{ index: odd, content: { role: odd, parts: PARTS } }] },
          {
            candidates: [{ content: { parts: PARTS }, finishReason: "STOP" }],
            usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: odd },
          },
        ].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
      )
      const text = await ask(`${PATH}:streamGenerateContent?alt=sse`, BODY, said)
      const [first, last] = framesOf(text)
      const { finishReason: _, ...begun } = CANDIDATE
      expect(first).toMatchObject({ candidates: [begun], modelVersion: "google/model" })
      expect(last).toMatchObject({ candidates: [CANDIDATE], usageMetadata: COUNTS })
      expect(last?.["responseId"]).toBe(first?.["responseId"])
    }
  })
})
