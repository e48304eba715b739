import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { decode, frame } from "./fixtures.ts"

const START = frame("messageStart", { role: "assistant", p: "abc" })
const USAGE = frame("metadata", {
  usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  metrics: { latencyMs: 9 },
  p: "abcdef",
})

function delta(index: number, chunk: JsonObject): SseFrame {
  return frame("contentBlockDelta", { contentBlockIndex: index, delta: chunk, p: "abcd" })
}

function stopBlock(index: number): SseFrame {
  return frame("contentBlockStop", { contentBlockIndex: index, p: "a" })
}

function startTool(index: number, toolUseId: string, name: string, more = {}): SseFrame {
  const start = { toolUse: { toolUseId, name, ...more } }
  return frame("contentBlockStart", { contentBlockIndex: index, start })
}

function stop(stopReason: string, additional?: JsonObject): SseFrame {
  return frame("messageStop", {
    stopReason,
    ...(additional === undefined ? {} : { additionalModelResponseFields: additional }),
  })
}

/** Returns the events without the start and the usage, which every stream has. */
function changes(frames: readonly SseFrame[], asked?: ChatRequest): ChatEvent[] {
  return decode(frames, asked).filter(({ type }) => type !== "start" && type !== "usage")
}

describe("the Bedrock stream decoder", () => {
  test("decodes the message start, text in a block without a start event, the end and usage", () => {
    const decoder = BEDROCK_CONVERSE.decodeEvents()
    const events = [START, delta(0, { text: "Hi" }), stopBlock(0), stop("end_turn")].flatMap(
      (frame) => decoder.push(frame),
    )
    expect(decoder.finished).toBe(false)
    events.push(...decoder.push(USAGE))
    expect(decoder.finished).toBe(true)
    expect(decoder.end()).toEqual([])
    expect(events).toMatchObject([
      { type: "start" },
      { type: "text-delta", choice: 0, text: "Hi" },
      { type: "finish", choice: 0, reason: "stop" },
      { type: "usage", usage: { inputFresh: 3, output: 2 } },
    ])
    expect(events[2]).not.toHaveProperty("rawReason")
  })

  test("accepts usage before the stop reason", () => {
    const decoder = BEDROCK_CONVERSE.decodeEvents()
    for (const frame of [START, delta(0, { text: "Hi" }), USAGE]) decoder.push(frame)
    expect(decoder.finished).toBe(false)
    decoder.push(stop("end_turn"))
    expect(decoder.finished).toBe(true)
  })

  test("does not parse the JSON of a parsed frame again", () => {
    const json = { contentBlockIndex: 0, delta: { text: "x" } }
    expect(changes([{ event: "contentBlockDelta", data: "{broken", json }])).toEqual([
      { type: "text-delta", choice: 0, text: "x" },
    ])
  })

  test("drops empty text deltas", () => {
    expect(changes([START, delta(0, { text: "" }), stopBlock(0)])).toEqual([])
  })

  test("skips unknown events", () => {
    const frames = [
      START,
      frame("newEvent", { contentBlockIndex: 0, delta: { text: "no" } }),
      frame("contentBlockStart", { contentBlockIndex: 0, start: { image: { format: "png" } } }),
      delta(0, { image: { source: { bytes: "AAAA" } } }),
      stopBlock(0),
      delta(1, { hologram: 1 }),
      stopBlock(7),
      { data: "{}" },
    ]
    expect(changes(frames)).toEqual([])
  })
})

describe("the Bedrock stream decoder of tool calls", () => {
  test("separates two simultaneous calls and numbers them from zero", () => {
    const frames = [
      START,
      startTool(1, "t1", "weather"),
      delta(1, { toolUse: { input: "" } }),
      delta(1, { toolUse: { input: '{"city":' } }),
      startTool(2, "t2", "time"),
      delta(2, { toolUse: { input: "{}" } }),
      delta(1, { toolUse: { input: '"Rome"}' } }),
      stopBlock(1),
      stopBlock(2),
      stop("tool_use"),
    ]
    expect(changes(frames)).toEqual([
      { type: "tool-call-start", choice: 0, call: 0, id: "t1", name: "weather" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: '{"city":' },
      { type: "tool-call-start", choice: 0, call: 1, id: "t2", name: "time" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: "{}" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: '"Rome"}' },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
  })

  test("returns {} for a call without arguments", () => {
    const frames = [START, startTool(0, "t1", "now"), stopBlock(0), stop("tool_use")]
    expect(foldEvents(decode(frames)).choices[0]?.parts).toEqual([
      { type: "tool-call", id: "t1", name: "now", arguments: "{}" },
    ])
  })

  test("serializes a call with an object as input", () => {
    const frames = [START, startTool(0, "t1", "a"), delta(0, { toolUse: { input: { b: 1 } } })]
    expect(changes(frames)[1]).toEqual({
      type: "tool-call-delta",
      choice: 0,
      call: 0,
      arguments: '{"b":1}',
    })
  })

  test("skips a chunk of a call that never started", () => {
    expect(changes([START, delta(3, { toolUse: { input: "{}" } })])).toEqual([])
  })

  test("drops calls and results of the vendor's own tools", () => {
    const frames = [
      START,
      startTool(0, "t1", "nova_code_interpreter", { type: "server_tool_use" }),
      delta(0, { toolUse: { input: '{"snippet":"1"}' } }),
      stopBlock(0),
      frame("contentBlockStart", {
        contentBlockIndex: 1,
        start: { toolResult: { toolUseId: "t1", status: "success" } },
      }),
      delta(1, { toolResult: [{ json: { stdOut: "1" } }] }),
      stopBlock(1),
      delta(2, { text: "It is 1." }),
      stop("tool_use"),
    ]
    expect(changes(frames)).toEqual([
      { type: "text-delta", choice: 0, text: "It is 1." },
      { type: "finish", choice: 0, reason: "stop", rawReason: "tool_use" },
    ])
  })

  test("accepts a call with the type of an ordinary tool use", () => {
    const frames = [START, startTool(0, "t1", "a", { type: "tool_use" })]
    expect(changes(frames)).toHaveLength(1)
  })
})

describe("the Bedrock stream decoder of reasoning", () => {
  test("returns text with one signature at the end of the block", () => {
    const frames = [
      START,
      delta(0, { reasoningContent: { text: "Let me" } }),
      delta(0, { reasoningContent: { text: " think" } }),
      delta(0, { reasoningContent: { text: "" } }),
      delta(0, { reasoningContent: { signature: "sig" } }),
      delta(0, { reasoningContent: { signature: "ned" } }),
      stopBlock(0),
      delta(1, { text: "Done" }),
    ]
    expect(changes(frames)).toEqual([
      { type: "reasoning-delta", choice: 0, text: "Let me" },
      { type: "reasoning-delta", choice: 0, text: " think" },
      {
        type: "reasoning-signature",
        choice: 0,
        signature: "signed",
        signedBy: "bedrock-converse",
      },
      { type: "text-delta", choice: 0, text: "Done" },
    ])
  })

  test("returns redacted reasoning as one signature with the joined bytes of all chunks", () => {
    const chunks = ["first", "second"].map((text) => Buffer.from(text).toString("base64"))
    const frames = [
      START,
      ...chunks.map((chunk) => delta(0, { reasoningContent: { redactedContent: chunk } })),
      stopBlock(0),
    ]
    expect(changes(frames)).toEqual([
      {
        type: "reasoning-signature",
        choice: 0,
        signature: Buffer.from("firstsecond").toString("base64"),
        signedBy: "bedrock-converse",
        isRedacted: true,
      },
    ])
  })

  test("ends an unfinished reasoning block at the end of the response", () => {
    const frames = [
      START,
      delta(0, { reasoningContent: { text: "Hm" } }),
      delta(0, { reasoningContent: { signature: "s" } }),
      stop("max_tokens"),
    ]
    expect(changes(frames).map(({ type }) => type)).toEqual([
      "reasoning-delta",
      "reasoning-signature",
      "finish",
    ])
  })

  test("returns reasoning of open models, which has no signature, as text", () => {
    const frames = [START, delta(0, { reasoningContent: { text: "Hm" } }), stopBlock(0)]
    expect(changes(frames)).toEqual([{ type: "reasoning-delta", choice: 0, text: "Hm" }])
  })
})

describe("the Bedrock stream decoder of citations", () => {
  const location = { documentPage: { documentIndex: 0, start: 1, end: 2 } }

  test("reports citations after their text, with their position", () => {
    const frames = [
      START,
      delta(0, { text: "It says " }),
      stopBlock(0),
      delta(1, { citation: { title: "Report", sourceContent: [{ text: "a" }], location } }),
      delta(1, { text: "that " }),
      delta(1, { text: "all is well" }),
      stopBlock(1),
      delta(2, { text: "." }),
      stopBlock(2),
      stop("end_turn"),
    ]
    const { choices } = foldEvents(decode(frames))
    expect(choices[0]?.parts).toEqual([
      {
        type: "text",
        text: "It says that all is well.",
        citations: [{ title: "Report", quote: "a", start: 8, end: 24 }],
      },
    ])
  })

  test("reports positions relative to the text part", () => {
    const frames = [
      START,
      delta(0, { text: "Before" }),
      stopBlock(0),
      startTool(1, "t", "a"),
      stopBlock(1),
      delta(2, { text: "Yes" }),
      delta(2, { citation: { location: { web: { url: "https://a.example/" } } } }),
      delta(2, { citation: { source: "https://b.example/", title: "B" } }),
      delta(2, { citation: { source: "internal-7" } }),
      stopBlock(2),
    ]
    expect(changes(frames).filter(({ type }) => type === "citation")).toEqual([
      {
        type: "citation",
        choice: 0,
        citation: { url: "https://a.example/", start: 0, end: 3 },
      },
      {
        type: "citation",
        choice: 0,
        citation: { url: "https://b.example/", title: "B", start: 0, end: 3 },
      },
      { type: "citation", choice: 0, citation: { start: 0, end: 3 } },
    ])
  })
})

describe("the Bedrock stream decoder of the stop reason", () => {
  test.each([
    ["end_turn", "stop", undefined],
    ["max_tokens", "length", undefined],
    ["stop_sequence", "stop", "stop_sequence"],
    ["guardrail_intervened", "content-filter", "guardrail_intervened"],
    ["content_filtered", "content-filter", "content_filtered"],
    ["model_context_window_exceeded", "length", "model_context_window_exceeded"],
    ["tool_use", "stop", "tool_use"],
    ["something_new", "other", "something_new"],
    ["", "other", undefined],
  ])("maps the stop reason %s to the finish reason %s", (word, reason, rawReason) => {
    const finish = changes([START, delta(0, { text: "x" }), stop(word)]).at(-1)
    expect(finish).toEqual({
      type: "finish",
      choice: 0,
      reason,
      ...(rawReason === undefined ? {} : { rawReason }),
    } as ChatEvent)
  })

  test.each(["malformed_model_output", "malformed_tool_use"])(
    "reports the stop reason %s as a failed generation",
    (word) => {
      const events = changes([START, delta(0, { text: "x" }), stop(word)])
      expect(events.at(-1)).toMatchObject({ type: "error", code: word })
    },
  )

  test("reports tool calls as the finish reason if the response contains calls", () => {
    expect(changes([START, startTool(0, "t", "a"), stop("end_turn")]).at(-1)).toEqual({
      type: "finish",
      choice: 0,
      reason: "tool-calls",
      rawReason: "end_turn",
    })
  })

  test("reports the stop string if the model's vendor names it", () => {
    const told = stop("stop_sequence", { delta: { stop_sequence: "END" } })
    expect(changes([START, told]).at(-1)).toMatchObject({ stopSequence: "END" })
    const untold = stop("end_turn", { delta: { stop_sequence: null } })
    expect(changes([START, untold]).at(-1)).not.toHaveProperty("stopSequence")
  })
})

describe("the Bedrock stream decoder of a broken stream", () => {
  test("reports an exception by its name and message", () => {
    const exception = {
      event: "exception:throttlingException",
      data: '{"message":"Too many requests"}',
    }
    const decoder = BEDROCK_CONVERSE.decodeEvents()
    decoder.push(START)
    expect(decoder.push(exception)).toEqual([
      errorEvent({ message: "Too many requests", code: "throttlingException" }),
    ])
    decoder.end()
    expect(decoder.finished).toBe(false)
  })

  test("prefers the model's own error message to Bedrock's message", () => {
    const payload = {
      message: "Model Stream Error",
      originalStatusCode: 500,
      originalMessage: "The model stream failed.",
    }
    expect(decode([frame("exception:modelStreamErrorException", payload)])).toEqual([
      errorEvent({ message: "The model stream failed.", code: "modelStreamErrorException" }),
    ])
  })

  test("reports an error with its code and message, even if both are empty", () => {
    expect(decode([{ event: "error:InternalError", data: "it broke" }])).toEqual([
      errorEvent({ message: "it broke", code: "InternalError" }),
    ])
    expect(decode([{ event: "exception:", data: "{}" }])).toEqual([errorEvent({})])
  })

  test("rejects a payload that is not a JSON object", () => {
    for (const data of ["{broken", "[]", ""]) {
      const decoder = BEDROCK_CONVERSE.decodeEvents()
      expect(() => decoder.push({ event: "contentBlockDelta", data })).toThrow(GatewayError)
    }
  })

  test("accepts a stream that ends after a stop reason without usage", () => {
    const decoder = BEDROCK_CONVERSE.decodeEvents()
    for (const frame of [START, delta(0, { text: "x" }), stop("end_turn")]) decoder.push(frame)
    expect(decoder.finished).toBe(false)
    decoder.end()
    expect(decoder.finished).toBe(true)
  })

  test.each([
    ["an empty stream", []],
    ["only a start", [START]],
    ["text without an end", [START, delta(0, { text: "x" }), stopBlock(0)]],
    ["usage without an end", [START, USAGE]],
  ])("treats %s as incomplete", (_, frames) => {
    const decoder = BEDROCK_CONVERSE.decodeEvents()
    for (const frame of frames) decoder.push(frame)
    decoder.end()
    expect(decoder.finished).toBe(false)
  })
})
