import { describe, expect, test } from "bun:test"
import {
  NOTHING_YET,
  withEvent,
  type ResponseContent,
} from "../../console/src/pages/playground/response.ts"
import {
  chatBody,
  DEFAULT_SETTINGS,
  extraFault,
  toolsFault,
  type Question,
  type Turn,
} from "../../console/src/pages/playground/conversation.ts"
import {
  knownCosts,
  newResponse,
  turnsUntil,
  withFacts,
  withNewResponse,
  type Exchange,
} from "../../console/src/pages/playground/exchanges.ts"
import { FrameReader } from "../../console/src/pages/playground/frames.ts"
import { handOver, takeHandOver } from "../../console/src/pages/playground/hand-over.ts"
import { readChat } from "../../console/src/pages/playground/gateway-call.ts"
import { keptExchanges, nameOf } from "../../console/src/pages/playground/kept/kept-conversation.ts"
import { PlaygroundKeys } from "../../console/src/pages/playground/playground-key.ts"
import { readRequest } from "../../console/src/pages/playground/read-request.ts"

const HELLO: Question = { text: "Hello", images: [] }

function asked(question: Question): Turn {
  return { question, steps: [] }
}

function answered(question: Question, text: string): Turn {
  return { question, steps: [{ text, toolCalls: [], results: [] }] }
}

describe("a chat request of the playground", () => {
  test("contains only fields that are set, and always requests usage", () => {
    expect(chatBody("a/b", DEFAULT_SETTINGS, [asked(HELLO)])).toEqual({
      model: "a/b",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test("contains the system prompt, history, images and every setting", () => {
    const settings = {
      system: "Be brief.",
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      effort: "low",
      stop: ["END"],
      tools: '[{"name": "look", "parameters": {}}]',
      extra: '{"seed": 7, "model": "not/this"}',
    }
    const image = { name: "a.png", url: "data:image/png;base64,AA==" }
    const turns = [
      answered(HELLO, "Hi"),
      asked({ text: "lost", images: [] }),
      asked({ text: "What is it?", images: [image] }),
    ]
    const body = chatBody("a/b", settings, turns)
    expect(body["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: image.url } },
          { type: "text", text: "What is it?" },
        ],
      },
    ])
    expect(body).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      reasoning_effort: "low",
      tools: [{ type: "function", function: { name: "look", parameters: {} } }],
      stop: ["END"],
      seed: 7,
      stream: true,
    })
  })

  test("contains a tool call only if the call has a result", () => {
    const call = { id: "call_1", name: "look", arguments: '{"at":1}' }
    const step = { text: "", toolCalls: [call], results: ["a door"] }
    const turn = { question: HELLO, steps: [step, { ...step, results: [] }] }
    expect(chatBody("a/b", DEFAULT_SETTINGS, [turn, asked(HELLO)])["messages"]).toEqual([
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "a door" },
      { role: "user", content: "Hello" },
    ])
  })

  test("requires its tools to be a JSON array", () => {
    for (const text of ["", "[]", '[{"type":"function"}]']) expect(toolsFault(text)).toBeUndefined()
    for (const text of ["{}", "[1]", "null"]) expect(toolsFault(text), text).toContain("an array")
    expect(toolsFault("[")).toContain("not valid JSON")
  })

  test("requires its additional fields to be a JSON object", () => {
    expect(extraFault("")).toBeUndefined()
    expect(extraFault('{"a":1}')).toBeUndefined()
    expect(extraFault("{")).toContain("not valid JSON")
    expect(extraFault("[1]")).toContain("object")
  })
})

test("a request that another page passes to the playground is imported only once", () => {
  const request = { model: "a/b", body: { messages: [] } }
  handOver(request)
  expect([takeHandOver(), takeHandOver()]).toEqual([request, undefined])
})

describe("the playground's stream parser", () => {
  const stream = 'data: {"a":1}\r\n\r\n: comment\n\ndata: one\ndata: two\n\ndata:[DONE]\n\n'
  const whole = ['{"a":1}', "one\ntwo", "[DONE]"]

  test("returns the same frames for any split of the bytes", () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const frames = new FrameReader()
      const read = [...frames.push(stream.slice(0, cut)), ...frames.push(stream.slice(cut))]
      expect(read).toEqual(whole)
    }
  })
})

function fold(...events: unknown[]): ResponseContent {
  return events.reduce<ResponseContent>(
    (response, event) =>
      withEvent(response, typeof event === "string" ? event : JSON.stringify(event)),
    NOTHING_YET,
  )
}

describe("a response in the playground", () => {
  test("collects text, reasoning and tool calls", () => {
    const response = fold(
      { choices: [{ delta: { role: "assistant", content: "" } }] },
      { choices: [{ delta: { reasoning_content: "Hm. " } }] },
      { choices: [{ delta: { content: "He" } }] },
      { choices: [{ delta: { content: "llo" } }] },
      {
        choices: [
          {
            delta: {
              tool_calls: [{ index: 0, id: "call_x", function: { name: "look", arguments: "" } }],
            },
          },
        ],
      },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: "1}" } }] } }] },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      "[DONE]",
    )
    expect(response).toMatchObject({
      text: "Hello",
      reasoning: "Hm. ",
      toolCalls: [{ id: "call_x", name: "look", arguments: '{"a":1}' }],
      finish: "tool_calls",
      isComplete: true,
    })
  })

  test("keeps the exact cost text", () => {
    const event = `{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":210,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":204},"cost":0.00000004}}`
    const response = fold(event)
    expect(response.cost).toBe("0.00000004")
    expect(response.tokens).toEqual({ input: 12, output: 210, reasoning: 204, cached: 3 })
  })

  test("fails if the stream reports an error", () => {
    const error = { message: "It broke.", error_type: "upstream_error", param: null }
    expect(fold({ error }).failure).toMatchObject({ kind: "upstream_error", message: "It broke." })
  })

  test("ignores invalid frames", () => {
    expect(fold("not json", "null", "7")).toEqual(NOTHING_YET)
  })

  test("keeps the received part and is marked as broken if the stream lacks its end mark", async () => {
    const chunk = 'data: {"choices":[{"delta":{"content":"Half"}}]}\n\n'
    const response = await readChat(new Response(chunk), () => {})
    expect(response.text).toBe("Half")
    expect(response.failure?.kind).toBe("broken_off")
    const whole = await readChat(new Response(`${chunk}data: [DONE]\n\n`), () => {})
    expect(whole.failure).toBeNull()
  })
})

describe("exchanges in the playground", () => {
  const hi = { ...newResponse("a/b", {}, 0), text: "Hi" }
  const exchanges: Exchange[] = [
    {
      id: 1,
      question: HELLO,
      columns: [
        { column: 0, steps: [hi, hi] },
        { column: 2, steps: [] },
      ],
    },
    { id: 2, question: HELLO, columns: [{ column: 2, steps: [] }] },
  ]

  test("have a separate history for each column", () => {
    expect(turnsUntil(exchanges, { id: 2, column: 0, step: 0 })).toEqual([
      { question: HELLO, steps: [hi, hi] },
      asked(HELLO),
    ])
    expect(turnsUntil(exchanges, { id: 2, column: 2, step: 0 })).toEqual([
      asked(HELLO),
      asked(HELLO),
    ])
    expect(turnsUntil(exchanges, { id: 1, column: 0, step: 1 })[0]?.steps).toEqual([hi])
  })

  test("can have a single response replaced or completed", () => {
    const response = newResponse("c/d", {}, 0)
    const changed = withNewResponse(exchanges, { id: 2, column: 2, step: 0 }, response)
    expect(changed[0]).toBe(exchanges[0] as Exchange)
    expect(changed[1]?.columns[0]?.steps).toEqual([response])
    const again = withNewResponse(exchanges, { id: 1, column: 0, step: 0 }, response)
    expect(again[0]?.columns[0]?.steps).toEqual([response])
    const late = withFacts(exchanges, { id: 1, column: 0, step: 0 }, { cost: "1" })
    expect(late[0]?.columns[0]?.steps.map(({ cost }) => cost)).toEqual(["1", null])
  })

  test("show the known cost of each model", () => {
    const paid = withFacts(exchanges, { id: 1, column: 0, step: 1 }, { cost: "0.5" })
    expect([...knownCosts(paid)]).toEqual([["a/b", ["0.5"]]])
  })

  test("have no request bodies or running states when stored", () => {
    const [kept] = keptExchanges(exchanges)
    expect(kept?.columns[0]?.steps[0]).toMatchObject({ body: null, state: "stopped", text: "Hi" })
    expect(nameOf({ name: null, exchanges })).toBe("Hello")
    expect(nameOf({ name: "mine", exchanges })).toBe("mine")
    expect(nameOf({ name: null, exchanges: [] })).toBe("Untitled")
  })
})

describe("a request imported into the playground", () => {
  const call = { id: "c1", name: "look", arguments: '{"at":1}' }
  const url = "data:image/png;base64,AA=="
  const bodies = {
    "chat completions": {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", function: { name: "look", arguments: '{"at":1}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "a door" },
        { role: "assistant", content: "A door." },
        {
          role: "user",
          content: [
            { type: "text", text: "And?" },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
      tools: [{ type: "function", function: { name: "look", parameters: {} } }],
      max_tokens: 5,
    },
    messages: {
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        { role: "user", content: "Hello" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "c1", name: "look", input: { at: 1 } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a door" }] },
        { role: "assistant", content: "A door." },
        {
          role: "user",
          content: [
            { type: "text", text: "And?" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
          ],
        },
      ],
      tools: [
        { name: "look", input_schema: {} },
        { type: "web_search_20250305", name: "web" },
      ],
      max_tokens: 5,
    },
    responses: {
      instructions: "Be brief.",
      input: [
        { role: "user", content: "Hello" },
        { type: "function_call", call_id: "c1", name: "look", arguments: '{"at":1}' },
        { type: "function_call_output", call_id: "c1", output: "a door" },
        { role: "assistant", content: [{ type: "output_text", text: "A door." }] },
        {
          role: "user",
          content: [
            { type: "input_text", text: "And?" },
            { type: "input_image", image_url: url },
          ],
        },
      ],
      tools: [{ type: "function", name: "look", parameters: {} }, { type: "web_search" }],
      max_output_tokens: 5,
    },
  }

  test.each(Object.entries(bodies))("becomes a conversation from the format of %s", (_, body) => {
    const { settings, exchanges, draft, columns } = readRequest({ model: "a/b", body })
    expect(columns).toEqual([{ id: 0, model: "a/b" }])
    expect(settings).toMatchObject({ system: "Be brief.", maxTokens: 5 })
    expect(JSON.parse(settings.tools)).toEqual([
      { type: "function", function: { name: "look", parameters: {} } },
    ])
    const steps = exchanges.flatMap(({ columns }) => columns.flatMap(({ steps }) => steps))
    expect(exchanges.map(({ question }) => question.text)).toEqual(["Hello"])
    expect(steps[0]).toMatchObject({ toolCalls: [call], results: ["a door"], state: "done" })
    expect(steps[1]).toMatchObject({ text: "A door.", toolCalls: [] })
    expect(draft).toMatchObject({ text: "And?", images: [{ url }] })
  })

  test("becomes a conversation from Google's format", () => {
    const body = {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Hello" }] },
        { role: "model", parts: [{ functionCall: { name: "look", args: { at: 1 } } }] },
        { role: "user", parts: [{ functionResponse: { name: "look", response: { is: 2 } } }] },
      ],
      generationConfig: { temperature: 1, stopSequences: ["END"] },
    }
    const { settings, exchanges, draft } = readRequest({ model: "a/b", body })
    expect(settings).toMatchObject({ system: "Be brief.", temperature: 1, stop: ["END"] })
    const step = exchanges[0]?.columns[0]?.steps[0]
    expect(step?.toolCalls).toEqual([{ ...call, id: "look" }])
    expect(step?.results).toEqual(['{"is":2}'])
    expect(draft).toBeUndefined()
  })

  test("has no effect if it is invalid", () => {
    const wrong = [null, 7, "text", [], { messages: 7 }, { messages: [null, {}, { role: "tool" }] }]
    for (const body of wrong) expect(readRequest({ model: "a/b", body }).exchanges).toEqual([])
  })
})

describe("keys of the playground's session", () => {
  test("exist once per account for simultaneous calls, and are replaced before they expire", async () => {
    let now = 0
    const made: string[] = []
    const keys = new PlaygroundKeys(
      async (account, expiresAt) => {
        made.push(`${account} ${expiresAt}`)
        return `secret ${made.length}`
      },
      () => now,
    )
    expect(await Promise.all([keys.secretFor("a"), keys.secretFor("a")])).toEqual([
      "secret 1",
      "secret 1",
    ])
    expect(await keys.secretFor("b")).toBe("secret 2")
    now = 56 * 60 * 1_000
    expect(await keys.secretFor("a")).toBe("secret 3")
    keys.forget("a")
    expect(await keys.secretFor("a")).toBe("secret 4")
    expect(made[0]).toBe("a 3600000")
  })

  test("need a new request after a failure", async () => {
    let isDown = true
    const keys = new PlaygroundKeys(async () => {
      if (isDown) throw new Error("down")
      return "secret"
    })
    await expect(keys.secretFor("a")).rejects.toThrow("down")
    isDown = false
    expect(await keys.secretFor("a")).toBe("secret")
  })
})

test("a key of the playground counts as new for a few seconds, until it is active", async () => {
  let now = 1_000_000
  const keys = new PlaygroundKeys(
    async () => "secret",
    () => now,
  )
  expect(await keys.isNew("a")).toBe(false)
  await keys.secretFor("a")
  expect(await keys.isNew("a")).toBe(true)
  now += 5_000
  expect(await keys.isNew("a")).toBe(false)
})
