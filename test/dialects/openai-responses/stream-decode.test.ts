import { describe, expect, test } from "bun:test"
import type { EventDecoder } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { decodeStream, framesOf } from "./support.ts"
import {
  CREATED,
  completed,
  frames,
  decode,
  done,
  textDelta,
  message,
  START,
} from "./decoded-events.ts"

function added(index: number, item: JsonObject): JsonObject {
  return { type: "response.output_item.added", output_index: index, item }
}

describe("the Responses stream decoder of items", () => {
  const first = { type: "message", id: "msg_1", content: [] }

  test("accepts several items with the same output index", () => {
    const events = decode(
      CREATED,
      added(0, first),
      textDelta("Hel"),
      done(0, message("Hel")),
      added(0, { ...first, id: "msg_2" }),
      textDelta("lo"),
      done(0, message("lo")),
      completed({ output: [message("Hel"), message("lo")] }),
    )
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []))).toEqual([
      "Hel",
      "lo",
    ])
  })

  test("reports an item that starts twice as an error", () => {
    expect(() => decode(CREATED, added(0, first), textDelta("Hel"), added(0, first))).toThrow(
      "twice",
    )
  })
})

describe("the Responses stream decoder of text", () => {
  test("returns each text delta once, as soon as it arrives", () => {
    expect(
      decode(
        CREATED,
        { ...CREATED, type: "response.in_progress" },
        added(0, { type: "message", id: "msg_1", content: [] }),
        textDelta("Hel"),
        textDelta("lo"),
        { type: "response.output_text.done", output_index: 0, content_index: 0, text: "Hello" },
        {
          type: "response.content_part.done",
          output_index: 0,
          content_index: 0,
          part: { type: "output_text", text: "Hello" },
        },
        done(0, message("Hello")),
        completed({ output: [message("Hello")] }),
      ),
    ).toEqual([
      START,
      { type: "text-delta", choice: 0, text: "Hel" },
      { type: "text-delta", choice: 0, text: "lo" },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })

  test.each<[string, JsonObject[]]>([
    [
      "from the end of its part",
      [{ type: "response.output_text.done", output_index: 0, content_index: 0, text: "Hello" }],
    ],
    ["from the end of its item", [done(0, message("Hello"))]],
    ["from the response", [completed({ output: [message("Hello")] })]],
    ["after only its start was streamed", [textDelta("Hel"), done(0, message("Hello"))]],
  ])("reads text %s if it was not streamed", (_, events) => {
    const told = decode(CREATED, ...events, completed({ output: [message("Hello")] }))
    expect(foldEvents(told).choices[0]?.parts).toEqual([{ type: "text", text: "Hello" }])
  })

  test("returns text once even if a vendor counts content parts from 1", () => {
    const told = decode(CREATED, textDelta("Hello", 0, 1), done(0, message("Hello")), completed())
    expect(foldEvents(told).choices[0]?.parts).toEqual([{ type: "text", text: "Hello" }])
  })

  test("returns text once even if a vendor omits items from the final response", () => {
    const told = decode(CREATED, textDelta("Hello", 2), done(2, message("Hello")), {
      ...completed({ output: [message("Hello")] }),
    })
    expect(foldEvents(told).choices[0]?.parts).toEqual([{ type: "text", text: "Hello" }])
  })

  test("accepts item ids that change from event to event", () => {
    const told = decode(
      CREATED,
      added(0, { type: "message", id: "a", content: [] }),
      { ...textDelta("Hello"), item_id: "b" },
      done(0, { ...message("Hello"), id: "c" }),
      completed({ output: [{ ...message("Hello"), id: "d" }] }),
    )
    expect(foldEvents(told).choices[0]?.parts).toEqual([{ type: "text", text: "Hello" }])
  })

  test("separates a refusal from other text", () => {
    const refusal = {
      type: "response.refusal.delta",
      output_index: 0,
      content_index: 0,
      delta: "No.",
    }
    expect(decode(CREATED, refusal, completed())).toContainEqual({
      type: "refusal-delta",
      choice: 0,
      text: "No.",
    })
  })
})

describe("the Responses stream decoder of sources", () => {
  const annotation = {
    type: "url_citation",
    url: "https://a.b",
    title: "A",
    start_index: 1,
    end_index: 3,
  }

  test("reports each source once, with positions relative to the complete text", () => {
    const told = decode(
      CREATED,
      textDelta("One "),
      {
        type: "response.output_text.annotation.added",
        output_index: 0,
        content_index: 0,
        annotation_index: 0,
        annotation,
      },
      done(0, message("One ", [annotation])),
      textDelta("Two", 1),
      done(1, { ...message("Two", [annotation]), id: "msg_2" }),
      completed(),
    )
    expect(foldEvents(told).choices[0]?.parts).toEqual([
      {
        type: "text",
        text: "One Two",
        citations: [
          { url: "https://a.b", title: "A", start: 1, end: 3 },
          { url: "https://a.b", title: "A", start: 5, end: 7 },
        ],
      },
    ])
  })

  test("keeps sources that are files as extras", () => {
    const file = { type: "file_citation", file_id: "file-1", filename: "a.txt", index: 3 }
    const told = decode(CREATED, done(0, message("One", [file])), completed())
    expect(told).toContainEqual({
      type: "citation",
      choice: 0,
      citation: { title: "a.txt", extra: { dialect: "openai-responses", fields: file } },
    })
  })
})

describe("the Responses stream decoder of reasoning", () => {
  const item = { type: "reasoning", id: "rs_1", summary: [] }

  function summaryDelta(delta: string, index: number): JsonObject {
    return {
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      summary_index: index,
      delta,
    }
  }

  test("splits a summary into paragraphs and keeps the last signature", () => {
    const told = decode(
      CREATED,
      added(0, { ...item, encrypted_content: "too early" }),
      summaryDelta("Fir", 0),
      summaryDelta("st.", 0),
      summaryDelta("Then.", 1),
      done(0, {
        ...item,
        summary: [
          { type: "summary_text", text: "First." },
          { type: "summary_text", text: "Then." },
        ],
        encrypted_content: "opaque",
      }),
      textDelta("Hi", 1),
      completed(),
    )
    expect(foldEvents(told).choices[0]?.parts).toEqual([
      {
        type: "reasoning",
        text: "First.\n\nThen.",
        signature: "opaque",
        signedBy: "openai-responses",
        id: "rs_1",
      },
      { type: "text", text: "Hi" },
    ])
  })

  test.each(["response.reasoning_text.delta", "response.reasoning.delta"])(
    "reads the event %s",
    (type) => {
      const told = decode(
        CREATED,
        { type, output_index: 0, content_index: 0, delta: "Hm." },
        done(0, { ...item, content: [{ type: "reasoning_text", text: "Hm." }] }),
        completed(),
      )
      expect(foldEvents(told).choices[0]?.parts).toEqual([{ type: "reasoning", text: "Hm." }])
    },
  )

  test("reports reasoning that arrives only in its complete item", () => {
    const summary = [{ type: "summary_text", text: "Hm." }]
    const told = decode(CREATED, done(0, { ...item, summary }), completed())
    expect(foldEvents(told).choices[0]?.parts).toEqual([{ type: "reasoning", text: "Hm." }])
  })
})

describe("the Responses stream decoder of calls", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather" }

  function argumentsDelta(delta: string, index: number): JsonObject {
    return { type: "response.function_call_arguments.delta", output_index: index, delta }
  }

  test("accepts interleaved calls", () => {
    const told = decode(
      CREATED,
      added(0, { ...call, arguments: "" }),
      argumentsDelta('{"a"', 0),
      added(1, { ...call, id: "fc_2", call_id: "call_2", arguments: "" }),
      argumentsDelta("{}", 1),
      argumentsDelta(":1}", 0),
      done(1, { ...call, id: "fc_2", call_id: "call_2", arguments: "{}" }),
      done(0, { ...call, arguments: '{"a":1}' }),
      completed(),
    )
    const [choice] = foldEvents(told).choices
    expect(choice).toEqual({
      index: 0,
      finish: "tool-calls",
      parts: [
        { type: "tool-call", id: "call_1", name: "weather", arguments: '{"a":1}' },
        { type: "tool-call", id: "call_2", name: "weather", arguments: "{}" },
      ],
    })
  })

  test.each<[string, JsonObject[], string]>([
    ["in one event", [done(0, { ...call, arguments: '{"a":1}' })], '{"a":1}'],
    ["without arguments", [added(0, call), done(0, { ...call, arguments: "" })], "{}"],
    ["as an object", [done(0, { ...call, arguments: { a: 1 } })], '{"a":1}'],
    ["only in the response", [completed({ output: [{ ...call, arguments: "{}" }] })], "{}"],
  ])("accepts a call %s", (_, events, expected) => {
    const [choice] = foldEvents(decode(CREATED, ...events, completed())).choices
    expect(choice).toMatchObject({
      finish: "tool-calls",
      parts: [{ id: "call_1", arguments: expected }],
    })
  })

  test("accepts a call that has only one of its two ids or no id", () => {
    const { call_id: _, ...single } = call
    expect(decode(CREATED, done(0, single))).toContainEqual(expect.objectContaining({ id: "fc_1" }))
    const nameless = decode(CREATED, done(0, { type: "function_call", name: "weather" }))
    expect(nameless).toContainEqual(
      expect.objectContaining({ name: "weather", id: expect.stringMatching(/^call_/) }),
    )
  })
})

test("the Responses stream decoder accepts an event name after the data, and a frame without an event name", () => {
  const event = JSON.stringify(completed({ output: [message("Hi")] }))
  const named = framesOf(`data: ${event}\nevent: response.completed\n\n`)
  expect(decodeStream(named)).toEqual(decodeStream(framesOf(`data: ${event}\r\n\r\n`)))
})

function push(decoder: EventDecoder, event: JsonObject): void {
  for (const frame of frames(event)) decoder.push(frame)
}

test.each([
  ["is not streamed", [], 400],
  ["has more summary parts than are counted", [{ type: "summary_text", text: "Hm, so." }], 393],
])("the Responses stream decoder counts hidden reasoning that %s", (_name, summary, counted) => {
  for (const isStreamed of [true, false]) {
    const decoder = OPENAI_RESPONSES.decodeEvents()
    const item = { id: "rs_1", type: "reasoning", summary, encrypted_content: "x".repeat(400) }
    const place = { output_index: 0, summary_index: 0 }
    const type = "response.reasoning_summary_text.delta"
    for (const { text } of isStreamed ? summary : []) {
      push(decoder, { type, ...place, delta: text })
    }
    push(decoder, { type: "response.output_item.done", output_index: 0, item })
    expect(decoder.other.characters).toBe(counted)
  }
})

test("the Responses stream decoder counts encrypted reasoning only once if its text is also readable", () => {
  const decoder = OPENAI_RESPONSES.decodeEvents()
  const content = [{ type: "reasoning_text", text: "Hm, so." }]
  const item = { id: "rs_1", type: "reasoning", content, encrypted_content: "x".repeat(400) }
  push(decoder, { type: "response.output_item.done", output_index: 0, item })
  expect(decoder.other.characters).toBe(0)
})
