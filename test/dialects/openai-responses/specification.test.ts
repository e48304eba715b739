import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest, ChatResult } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { openAiResponses, OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { openAiDescription, openResponsesDescription } from "./descriptions.ts"
import { recordedResponses } from "./recorded.ts"
import {
  assistant,
  conversation,
  encodeStream,
  eventsOf,
  jsonOf,
  requestOf,
  text,
  user,
} from "./support.ts"

const openAi = openAiDescription()
const openResponses = openResponsesDescription()

const TOOL = {
  name: "weather",
  description: "Tells the weather.",
  strict: true,
  parameters: { type: "object", properties: { city: { type: "string" } } },
}
const PNG = { type: "base64", data: "iVBORw0KGgo=", mediaType: "image/png" } as const
const PDF = { type: "base64", data: "JVBERi0=", mediaType: "application/pdf" } as const

const FULL_REQUEST: ChatRequest = requestOf({
  messages: [
    { role: "system", parts: [text("Be kind.")] },
    user(
      text("Look."),
      { type: "image", source: PNG, detail: "low" },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { type: "reference", id: "file-1" } },
      { type: "file", source: PDF, name: "a.pdf" },
      { type: "file", source: { type: "url", url: "https://example.com/a.pdf" } },
    ),
    assistant(
      { type: "reasoning", text: "Hm.", signature: "s", signedBy: "openai-responses", id: "rs_1" },
      text("I will ask."),
      { type: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Bonn"}' },
      { type: "tool-call", id: "call_2", name: "weather", arguments: "{}" },
    ),
    {
      role: "tool",
      parts: [
        { type: "tool-result", id: "call_1", content: [{ type: "text", text: "Rain" }] },
        {
          type: "tool-result",
          id: "call_2",
          content: [
            { type: "text", text: "See" },
            { type: "image", source: PNG },
            { type: "file", source: PDF },
          ],
        },
      ],
    },
    { role: "developer", parts: [text("Be brief.")] },
    user(text("And?")),
  ],
  maxTokens: 100,
  temperature: 0.5,
  topP: 0.5,
  logprobs: true,
  topLogprobs: 3,
  tools: [TOOL, { name: "bare" }],
  toolChoice: { type: "tool", name: "weather" },
  parallelToolCalls: false,
  responseFormat: {
    type: "json-schema",
    name: "answer",
    description: "An answer.",
    strict: true,
    schema: { type: "object" },
  },
  reasoning: { effort: "high", summary: "auto" },
  verbosity: "low",
  user: "u",
  safetyIdentifier: "s",
  metadata: { a: "b" },
  serviceTier: "flex",
  promptCacheKey: "k",
})

const RESULT: ChatResult = {
  id: "1",
  model: "provider/model",
  created: 1_700_000_000,
  choices: [
    {
      index: 0,
      finish: "tool-calls",
      parts: [
        { type: "reasoning", text: "Hm.", signature: "s", signedBy: "anthropic-messages" },
        { type: "reasoning", text: "", signature: "t", signedBy: "gemini", isRedacted: true },
        {
          type: "text",
          text: "Rain.",
          citations: [{ url: "https://example.com", title: "E", start: 0, end: 4 }],
        },
        { type: "refusal", text: "No more." },
        { type: "tool-call", id: "call_1", name: "weather", arguments: "{}" },
        { type: "tool-call", id: "call_2", name: "weather", arguments: '{"city":"Bonn"}' },
      ],
    },
  ],
  usage: {
    ...NO_USAGE,
    inputFresh: 3,
    inputCacheRead: 2,
    inputCacheWrite: 1,
    output: 9,
    reasoning: 4,
  },
}

/** Returns the problems of one value, by the name of each schema that it must match. */
function problemsOf(value: unknown, openAiSchema: string, openResponsesSchema: string): string[] {
  return [
    ...openAi.problems(openAiSchema, asRecorded(value)),
    ...openResponses.problems(openResponsesSchema, asMeant(value)),
  ]
}

/**
 * Adapts a value to OpenAI's description. It does not allow null as the usage of an unfinished response, but its API
 * sends null.
 */
function asRecorded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member) =>
      key === "usage" && member === null ? undefined : member,
    ),
  )
}

/**
 * Adapts a value to the schema of Open Responses. The schema allows a JSON schema only as null, but in requests it
 * requires a schema for JSON.
 */
function asMeant(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member) =>
      key === "format" && isJsonObject(member) ? { type: "text" } : member,
    ),
  )
}

describe.skipIf(!HAS_FIXTURES)(
  `Responses requests compared with the vendors' specifications${WITHOUT_FIXTURES}`,
  () => {
    const examples: Readonly<Record<string, ChatRequest>> = {
      "with everything": FULL_REQUEST,
      "with only text": conversation(user(text("Hello"))),
      "with an earlier answer": conversation(
        user(text("Hi")),
        assistant(text("Hello")),
        user(text("?")),
      ),
      "with a tool choice of none": requestOf({ tools: [TOOL], toolChoice: { type: "none" } }),
      "with JSON": requestOf({ responseFormat: { type: "json-object" } }),
      "with a budget": requestOf({ reasoning: { budget: 4000 }, maxTokens: 8000 }),
      "that continues another": requestOf({ previousResponse: "resp_1" }),
    }

    for (const [name, request] of Object.entries(examples)) {
      test(`conform to the specification: ${name}`, () => {
        const { body } = OPENAI_RESPONSES.encodeRequest(request)
        expect(problemsOf(body, "CreateResponse", "CreateResponseBody")).toEqual([])
      })
    }

    // According to the recordings, the API does not require all fields in returned items that OpenAI's description
    // requires.
    test("conform if an earlier response is a refusal", () => {
      const request = conversation(assistant({ type: "refusal", text: "No." }), user(text("Why?")))
      const { body } = OPENAI_RESPONSES.encodeRequest(request)
      expect(openResponses.problems("CreateResponseBody", body)).toEqual([])
    })

    test("conform after recorded requests are decoded and encoded", () => {
      const { encodeRequest } = openAiResponses({ reasoningText: true })
      let count = 0
      for (const { request, status, isCut, file } of recordedResponses()) {
        if (request === undefined || status !== 200 || isCut || request.background === true)
          continue
        const { body } = encodeRequest(OPENAI_RESPONSES.decodeRequest(request))
        // Recorded clients omit the id of reasoning and some fields of earlier messages.
        const { input, ...rest } = body
        expect({ file, problems: openAi.problems("CreateResponse", rest) }).toEqual({
          file,
          problems: [],
        })
        expect(Array.isArray(input)).toBe(true)
        count++
      }
      expect(count).toBeGreaterThan(100)
    })
  },
)

const REQUESTS: Readonly<Record<string, ChatRequest>> = {
  "a plain request": requestOf({}),
  "a full request": FULL_REQUEST,
}

describe.skipIf(!HAS_FIXTURES)(
  `Responses responses compared with the vendors' specifications${WITHOUT_FIXTURES}`,
  () => {
    for (const [name, request] of Object.entries(REQUESTS)) {
      for (const finish of ["tool-calls", "stop", "length", "content-filter", "other"] as const) {
        test(`conform for ${name} and the finish reason ${finish}`, () => {
          const choices = RESULT.choices.map((choice) => ({ ...choice, finish }))
          const body = OPENAI_RESPONSES.encodeResult({ ...RESULT, choices }, request)
          expect(problemsOf(body, "Response", "ResponseResource")).toEqual([])
          OPENAI_RESPONSES.setCost(body, "0.25")
          expect(problemsOf(body, "Response", "ResponseResource")).toEqual([])
        })
      }

      test(`conform for an empty response to ${name}`, () => {
        const body = OPENAI_RESPONSES.encodeResult({ choices: [] }, request)
        expect(problemsOf(body, "Response", "ResponseResource")).toEqual([])
      })
    }
  },
)

/** Returns the names of an event's schemas. In Open Responses, some names differ from the type of the event. */
function schemaOf(type: JsonValue | undefined): { openAi: string; openResponses: string } {
  const words = String(type)
    .split(/[._]/)
    .filter((word) => word !== "response")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
  const named: Readonly<Record<string, readonly [string, string]>> = {
    OutputTextDelta: ["ResponseTextDelta", "OutputTextDelta"],
    OutputTextDone: ["ResponseTextDone", "OutputTextDone"],
    ReasoningSummaryTextDelta: ["ResponseReasoningSummaryTextDelta", "ReasoningSummaryDelta"],
    ReasoningSummaryTextDone: ["ResponseReasoningSummaryTextDone", "ReasoningSummaryDone"],
  }
  const [openAiName, openResponsesName] = named[words] ?? [`Response${words}`, words]
  return {
    openAi: `${openAiName}Event`,
    openResponses: `Response${openResponsesName}StreamingEvent`,
  }
}

function expectDescribed(frames: readonly SseFrame[]): void {
  for (const event of jsonOf(frames)) {
    const schemas = schemaOf(event.type)
    // The descriptions differ in the form of an error. Clients of both read the flat form.
    const found =
      event.type === "error"
        ? openAi.problems(schemas.openAi, event)
        : problemsOf(event, schemas.openAi, schemas.openResponses)
    expect({ type: event.type, problems: found }).toEqual({ type: event.type, problems: [] })
  }
}

describe.skipIf(!HAS_FIXTURES)(
  `Responses events compared with the vendors' specifications${WITHOUT_FIXTURES}`,
  () => {
    for (const [name, request] of Object.entries(REQUESTS)) {
      for (const finish of ["stop", "length"] as const) {
        test(`conform for ${name} and the finish reason ${finish}`, () => {
          const choices = RESULT.choices.map((choice) => ({ ...choice, finish }))
          expectDescribed(encodeStream(eventsOf({ ...RESULT, choices }), request))
        })
      }
    }

    test("conform if the stream breaks", () => {
      const encoder = OPENAI_RESPONSES.encodeEvents(FULL_REQUEST)
      const events: ChatEvent[] = [
        { type: "start", id: "1" },
        { type: "text-delta", choice: 0, text: "Hel" },
        { type: "tool-call-start", choice: 0, call: 0, id: "call_1", name: "weather" },
      ]
      const frames = events.flatMap((event) => encoder.push(event))
      const error = new GatewayError("upstream_timeout", "The provider did not answer in time.")
      expectDescribed([...frames, ...encoder.fail(error, "request_1")])
    })
  },
)

test.skipIf(!HAS_FIXTURES)(
  "the test's validator of the Responses specification reports invalid fields",
  () => {
    const body = OPENAI_RESPONSES.encodeResult(RESULT, FULL_REQUEST) as { [key: string]: JsonValue }
    const { metadata: _, ...lacking } = body
    expect(openAi.problems("Response", lacking)).not.toEqual([])
    expect(openResponses.problems("ResponseResource", { ...body, tools: "none" })).not.toEqual([])
    const output = body.output as JsonObject[]
    expect(output.every(isJsonObject)).toBe(true)
  },
)
