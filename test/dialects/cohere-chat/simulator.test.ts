import { afterAll, describe, expect, test } from "bun:test"
import { createParser } from "eventsource-parser"
import type { ChatRequest, ChatResult } from "../../../src/canon/chat.ts"
import type { Part, ToolCallPart } from "../../../src/canon/message.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { cohereChat } from "../../../simulator/cohere-chat/index.ts"
import { serveFormat } from "../../simulator/format-server.ts"
import { assistant, conversation, decoded, requestOf, text, user } from "./fixtures.ts"

/** The simulator was written independently of the dialect, so each can reveal mistakes of the other. */
const server = serveFormat(cohereChat)

afterAll(() => server[Symbol.asyncDispose]())

async function send(request: ChatRequest): Promise<Response> {
  const { body } = COHERE_CHAT.encodeRequest({ ...request, model: "echo" })
  const response = await server.post("/v2/chat", body)
  if (response.status !== 200) throw new Error(await response.text())
  return response
}

async function answered(request: ChatRequest): Promise<ChatResult> {
  const body = (await (await send(request)).json()) as Parameters<
    typeof COHERE_CHAT.decodeResult
  >[0]
  return COHERE_CHAT.decodeResult(body, request)
}

async function streamed(request: ChatRequest): Promise<ChatResult> {
  const frames: SseFrame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
  })
  parser.feed(await (await send({ ...request, stream: true })).text())
  const { events, finished } = decoded(frames, request)
  expect(finished).toBe(true)
  return foldEvents(events)
}

function partsOf(result: ChatResult): readonly Part[] {
  return result.choices[0]?.parts ?? []
}

const TOOLS = [
  {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  { name: "second_clock" },
]

const CALL: ToolCallPart = { type: "tool-call", id: "c1", name: "get_weather", arguments: "{}" }

const REQUESTS: [string, ChatRequest][] = [
  ["text", requestOf()],
  [
    "values out of range",
    requestOf({
      temperature: 2,
      topP: 1,
      topK: 1000,
      seed: -3,
      presencePenalty: -2,
      frequencyPenalty: 2,
      stop: [..."abcde"].map((letter) => `/${letter}/`),
    }),
  ],
  ["thinking", requestOf({ reasoning: { effort: "low" } })],
  ["no thinking", requestOf({ reasoning: { effort: "none" } })],
  [
    "JSON",
    requestOf({
      responseFormat: { type: "json-schema", name: "a", schema: { type: "object" } },
    }),
  ],
  [
    "JSON together with tools",
    requestOf({ tools: TOOLS, responseFormat: { type: "json-object" } }),
  ],
  ["strict tools", requestOf({ tools: TOOLS.map((tool) => ({ ...tool, strict: true })) })],
  [
    "a chosen tool",
    requestOf({ tools: TOOLS, toolChoice: { type: "tool", name: "second_clock" } }),
  ],
  ["no tool", requestOf({ tools: TOOLS, toolChoice: { type: "none" } })],
  [
    "instructions within the conversation",
    conversation(
      user(text("Hi")),
      { role: "developer", parts: [text("Be kind.")] },
      user(text("?")),
    ),
  ],
  [
    "pictures",
    conversation(
      user(text("Look"), {
        type: "image",
        source: { type: "url", url: "https://a.b/c.png" },
        detail: "original",
      }),
    ),
  ],
  [
    "calls and answers",
    {
      ...conversation(
        user(text("?")),
        assistant({ type: "reasoning", text: "Hmm." }, CALL, { ...CALL, id: "c2" }),
        {
          role: "tool",
          parts: [
            { type: "tool-result", id: "c1", content: [{ type: "text", text: "Sunny" }] },
            {
              type: "tool-result",
              id: "c2",
              content: [{ type: "text", text: "Rain" }],
              failed: true,
            },
          ],
        },
      ),
      tools: TOOLS,
    },
  ],
]

describe("a Cohere request to the simulator", () => {
  for (const [name, request] of REQUESTS) {
    test(`receives the same response with and without streaming: ${name}`, async () => {
      const whole = await answered(request)
      const { id: _, usage: __, ...rest } = await streamed(request)
      const calls = (parts: readonly Part[]) =>
        parts.map((part) => (part.type === "tool-call" ? { ...part, id: "" } : part))
      expect(rest.choices.map((choice) => ({ ...choice, parts: calls(choice.parts) }))).toEqual(
        whole.choices.map((choice) => ({ ...choice, parts: calls(choice.parts) })),
      )
      expect(whole.usage?.output).toBeGreaterThan(0)
    })
  }
})

test("the Cohere simulator calls the chosen tool", async () => {
  const request = requestOf({ tools: TOOLS, toolChoice: { type: "tool", name: "second_clock" } })
  expect(partsOf(await answered(request)).at(-1)).toMatchObject({
    type: "tool-call",
    name: "second_clock",
    arguments: "{}",
  })
})

test("the Cohere simulator cites the tool results", async () => {
  const [, request] = REQUESTS.at(-1) ?? []
  const [part] = partsOf(await answered(request ?? requestOf()))
  expect(part).toMatchObject({ type: "text", text: "The tools answered: Sunny; Rain" })
  expect(part?.type === "text" && part.citations?.map(({ quote }) => quote)).toEqual([
    "Sunny",
    "Rain",
  ])
})

test("the Cohere decoder reports each simulated error and fault with its error kind", async () => {
  const kinds: Record<string, string> = {
    "429": "upstream_overloaded",
    "500": "upstream_error",
    "503": "upstream_overloaded",
    "401": "upstream_error",
    "402": "upstream_error",
    "404": "upstream_error",
    "400-context": "rejected_by_upstream",
    "400-policy": "rejected_by_upstream",
  }
  for (const [fault, kind] of Object.entries(kinds)) {
    const { body } = COHERE_CHAT.encodeRequest(requestOf({ model: `fault-${fault}` }))
    const response = await server.post("/v2/chat", body)
    const error = COHERE_CHAT.decodeError(response.status, await response.json())
    expect(`${fault} ${error.kind}`).toBe(`${fault} ${kind}`)
  }
})
