import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  DONE,
  frame,
  type ScriptedVendor,
  startVendor,
  streamed,
  usageFrame,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, contentOf, dataOf, HELLO, receiptOf } from "../support.ts"

/** Servers whose references do not promise that `n` and `stop` work as in OpenAI's API. */
const UNPROVEN = ["openai-compatible", "lm-studio", "llama-cpp", "huggingface", "openrouter"]

/** The server's response, regardless of `n` and `stop`. */
let said = "Hello"
let server: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  server = startVendor((request) => {
    const { stream } = server.bodies.at(-1) ?? {}
    if (request.url.endsWith("/messages"))
      return stream === true ? messagesStream() : messagesWhole()
    if (stream !== true) return Response.json(wholeResponse(said))
    const letters = Array.from(said, (letter) => frame(letter))
    return streamed([...letters, frame("", "stop") + usageFrame(10, 1) + DONE])
  })
  const providers = UNPROVEN.map((vendor) => [vendor, provider(server.url, vendor)] as const)
  const messages = simulated({ dialects: ["anthropic-messages"] })
  gateway = await startGateway({
    providersAt: (url) => ({
      ...Object.fromEntries(providers),
      google: provider(url, "google"),
    }),
    models: {
      ...Object.fromEntries(UNPROVEN.map((vendor) => [`${vendor}/m`, simulated()])),
      "openai-compatible/claude": messages,
      "google/gemini-2.5-flash": simulated({ maxOutput: 1_000 }),
    },
  })
  caller = await gateway.caller("100")
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  server[Symbol.dispose]()
})

const USAGE = { input_tokens: 10, output_tokens: 1 }

function messagesWhole(): Response {
  const content = [{ type: "text", text: said }]
  const head = { id: "msg_1", type: "message", role: "assistant", model: "x" }
  return Response.json({ ...head, content, stop_reason: "end_turn", usage: USAGE })
}

function messagesStream(): Response {
  const text = (letter: string) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: letter },
  })
  const events = [
    {
      type: "message_start",
      message: { id: "msg_1", role: "assistant", content: [], usage: USAGE },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...Array.from(said, text),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE },
    { type: "message_stop" },
  ]
  return streamed(events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`))
}

interface Choice {
  readonly index: number
  readonly finish_reason: string | null
}

async function choicesOf(response: Response): Promise<readonly number[]> {
  const text = await response.text()
  expect([response.status, text.slice(0, 300)]).toEqual([200, expect.any(String)])
  const bodies = text.startsWith("{") ? [text] : dataOf(text).filter((data) => data !== "[DONE]")
  const choices = bodies.flatMap((body) => (JSON.parse(body) as { choices: Choice[] }).choices)
  const ended = choices.filter(({ finish_reason: reason }) => reason !== null)
  return ended.map(({ index }) => index).toSorted((left, right) => left - right)
}

describe.each([false, true])("limits that a vendor may ignore, streamed: %p", (stream) => {
  test.each(UNPROVEN)("cause one call for each choice if a server of %s ignores n", async (id) => {
    said = "Hello"
    const body = { model: `${id}/m`, messages: HELLO, n: 3, stream }
    const response = await caller.post(CHAT, body)
    expect(await choicesOf(response)).toEqual([0, 1, 2])
    const { usage } = await receiptOf(caller, response)
    expect(usage).toMatchObject({ input: 30, output: 3 })
  })

  test("cause several calls for more choices than a provider returns", async () => {
    const body = { model: "google/gemini-2.5-flash", messages: HELLO, n: 9, stream }
    const response = await caller.post(CHAT, body)
    expect(response.headers.get("x-tollgate-losses") ?? "").not.toContain("n:")
    expect(await choicesOf(response)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  for (const text of ["alpha STOP beta", "alpha STOP"]) {
    test.each(UNPROVEN)(`cut '${text}' of %s at the stop sequence`, async (id) => {
      said = text
      const body = { model: `${id}/m`, messages: HELLO, stop: "STOP", stream }
      const response = await (await caller.post(CHAT, body)).text()
      // The server may end the response at the sequence itself.
      expect(server.bodies.at(-1)).toMatchObject({ stop: ["STOP"] })
      expect(
        stream ? contentOf(response) : (JSON.parse(response) as Whole).choices[0]?.message.content,
      ).toBe("alpha ")
    })

    test(`cut '${text}' of a server with the Anthropic format at the stop sequence`, async () => {
      said = text
      const body = { messages: HELLO, max_tokens: 99, stop_sequences: ["STOP"], stream }
      const asked = { ...body, model: "openai-compatible/claude" }
      const response = await (await caller.post("/v1/messages", asked)).text()
      expect(response).toContain('"stop_sequence":"STOP"')
      expect(response).not.toContain("beta")
      expect(response.includes("ST") && !response.includes('"stop_sequence":"STOP"')).toBe(false)
    })
  }
})

interface Whole {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
}
