import { describe, expect, test } from "bun:test"
import type { ChatRequest, ChatResult } from "../../src/canon/chat.ts"
import type { SseFrame } from "../../src/canon/dialect.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import type { Citation } from "../../src/canon/message.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"
import { formatEvent } from "../../src/wire/sse.ts"
import { CLIENTS } from "../golden/dialects.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: false,
  streamUsage: true,
  choices: 1,
}

const RESULTS = [
  { title: "One", url: "https://one.example", date: "2026-01-02", snippet: "..." },
  { title: "Two", url: "https://two.example" },
  { title: "Three", url: "https://three.example" },
]
const SOURCES = { citations: RESULTS.map(({ url }) => url), search_results: RESULTS }
const TEXT = "Rome is old.[3] It has seven hills.[1][9]"

function response(text: string, sources: JsonObject): JsonObject {
  const message = { role: "assistant", content: text }
  return { ...sources, choices: [{ index: 0, message, finish_reason: "stop" }] }
}

/** Perplexity lists the sources in each chunk. */
function chunks(text: string, sources: JsonObject): SseFrame[] {
  const words = text.match(/.{1,7}/g) ?? []
  const deltas = words.map((content) => ({ index: 0, delta: { content } }))
  const end = { index: 0, delta: {}, finish_reason: "stop" }
  const all = [...deltas, end].map((choice) => ({ id: "c1", ...sources, choices: [choice] }))
  return [...all.map((json) => ({ data: JSON.stringify(json), json })), { data: "[DONE]" }]
}

function streamedEvents(frames: readonly SseFrame[], dialect = OPENAI_CHAT) {
  const decoder = dialect.decodeEvents({ ...REQUEST, stream: true })
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function citationsOf({ choices }: ChatResult): readonly Citation[] {
  return choices.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? (part.citations ?? []) : [])),
  )
}

describe("the decoder of sources outside the choices of a response", () => {
  const marked = [
    { url: "https://three.example", title: "Three", start: 12, end: 15 },
    { url: "https://one.example", title: "One", start: 35, end: 38 },
  ]

  test("returns a citation for each citation mark in the text, with and without streaming", () => {
    const whole = OPENAI_CHAT.decodeResult(response(TEXT, SOURCES))
    const streamed = foldEvents(streamedEvents(chunks(TEXT, SOURCES)))
    expect(citationsOf(whole)).toEqual(marked)
    expect(citationsOf(streamed)).toEqual(marked)
  })

  test.each([
    ["URLs only", { citations: SOURCES.citations }],
    ["results only", { search_results: RESULTS }],
  ])("returns citations for %s", (_, sources) => {
    const urls = citationsOf(OPENAI_CHAT.decodeResult(response(TEXT, sources))).map(
      ({ url }) => url,
    )
    expect(urls).toEqual(["https://three.example", "https://one.example"])
  })

  test("returns citations of the complete text if the text has no citation marks", () => {
    for (const result of [
      OPENAI_CHAT.decodeResult(response("Rome is old.", SOURCES)),
      foldEvents(streamedEvents(chunks("Rome is old.", SOURCES))),
    ]) {
      expect(citationsOf(result)).toEqual(
        RESULTS.map(({ url, title }) => ({ url, title, start: 0, end: 12 })),
      )
    }
  })

  test("returns only the citations inside the message if the message has its own citations", () => {
    const body = response(TEXT, SOURCES)
    const url = "https://own.example"
    const annotation = { type: "url_citation", url_citation: { url, start_index: 0, end_index: 4 } }
    const [choice] = body["choices"] as [{ message: JsonObject }]
    choice.message["annotations"] = [annotation]
    expect(citationsOf(OPENAI_CHAT.decodeResult(body)).map((each) => each.url)).toEqual([url])
  })

  test.each([...CLIENTS])(
    "keeps sources for clients of $id, with and without streaming",
    (client) => {
      const whole = OPENAI_CHAT.decodeResult(response(TEXT, SOURCES))
      const encoder = client.encodeEvents({ ...REQUEST, stream: true })
      const events = streamedEvents(chunks(TEXT, SOURCES))
      const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
      const stream = frames.map(formatEvent).join("")
      for (const text of [JSON.stringify(client.encodeResult(whole, REQUEST)), stream]) {
        expect(text).toContain("https://three.example")
        expect(text).toContain("https://one.example")
      }
    },
  )
})

test("the Gemini stream decoder keeps citations if a signature follows the text", () => {
  const content = (parts: JsonObject[]) => ({ parts, role: "model" })
  const groundingMetadata = {
    webSearchQueries: ["Rome"],
    groundingChunks: [{ web: { uri: "https://one.example", title: "One" } }],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: 4, text: "Rome" }, groundingChunkIndices: [0] },
    ],
  }
  const last = { content: content([{ text: "", thoughtSignature: "c2ln" }]), groundingMetadata }
  const frames = [
    { candidates: [{ content: content([{ text: "Rome is old." }]) }] },
    { candidates: [{ ...last, finishReason: "STOP" }] },
  ].map((json) => ({ data: JSON.stringify(json), json }))
  const events = streamedEvents(frames, GEMINI)
  const encoder = OPENAI_RESPONSES.encodeEvents({ ...REQUEST, stream: true })
  const text = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
    .map(formatEvent)
    .join("")
  expect(text).toContain("response.output_text.annotation.added")
  expect(text).toContain("https://one.example")
  expect(events.filter(({ type }) => type === "reasoning-signature")).toHaveLength(1)
})

describe("the encoder of a Gemini citation without a source", () => {
  const body = (): JsonObject => ({
    candidates: [
      {
        content: { parts: [{ text: "Rome is old." }], role: "model" },
        finishReason: "STOP",
        citationMetadata: { citations: [{ startIndex: 0, endIndex: 4 }, {}] },
      },
    ],
  })

  test.each([...CLIENTS])("omits the citation for clients of $id", (client) => {
    const whole = GEMINI.decodeResult(body())
    const json = body()
    const events = streamedEvents([{ data: JSON.stringify(json), json }], GEMINI)
    const encoder = client.encodeEvents({ ...REQUEST, stream: true })
    const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
    const texts = [
      JSON.stringify(client.encodeResult(whole, REQUEST)),
      frames.map(formatEvent).join(""),
    ]
    for (const text of texts) {
      expect(text).not.toMatch(
        /url_citation|char_location|web_search_result|groundingChunks|"web":/,
      )
    }
  })
})
