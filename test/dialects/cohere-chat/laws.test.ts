import { expect, test } from "bun:test"
import fc from "fast-check"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { decoded, framesOf } from "./fixtures.ts"

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 })
const count = fc.nat({ max: 5000 })

const source = fc.oneof(
  fc.record({
    type: fc.constant("document"),
    id: words,
    document: fc.record({ title: words, text: words }),
  }),
  fc.record({ type: fc.constant("tool"), id: words, tool_output: fc.record({ content: words }) }),
)

const citation = fc.record({
  start: fc.nat(20),
  end: fc.nat(20),
  text: words,
  sources: fc.array(source, { maxLength: 2 }),
  type: fc.constantFrom("TEXT_CONTENT", "PLAN", "THINKING_CONTENT"),
})

const call = fc.record({
  id: words,
  type: fc.constant("function"),
  function: fc.record({
    name: words,
    arguments: fc.oneof(fc.constantFrom("", "null"), fc.json({ maxDepth: 1 })),
  }),
})

/** A response in Cohere's form that is not streamed: thinking, then either text, or a plan and calls. */
const response = fc.record({
  id: fc.uuid(),
  thinking: fc.option(words, { nil: undefined }),
  text: fc.option(words, { nil: undefined }),
  citations: fc.array(citation, { maxLength: 3 }),
  calls: fc.array(call, { maxLength: 3 }),
  finish_reason: fc.constantFrom("COMPLETE", "MAX_TOKENS", "STOP_SEQUENCE", "TOOL_CALL"),
  usage: fc.record({
    tokens: fc.record({ input_tokens: count, output_tokens: count, reasoning_tokens: count }),
    cached_tokens: count,
  }),
})

type ResponseValue = typeof response extends fc.Arbitrary<infer Value> ? Value : never

function wholeOf(written: ResponseValue): JsonObject {
  const content: JsonObject[] = []
  if (written.thinking !== undefined) content.push({ type: "thinking", thinking: written.thinking })
  if (written.text !== undefined) content.push({ type: "text", text: written.text })
  const message = {
    role: "assistant",
    content,
    tool_calls: written.calls,
    citations: written.citations,
  }
  const { id, finish_reason, usage } = written
  return { id, message, finish_reason, usage }
}

/** Returns the same response as a stream, with its texts in pieces. */
function streamOf(written: ResponseValue, size: number): string {
  const chunks: JsonObject[] = [{ id: written.id, type: "message-start" }]
  const add = (type: string, index: number, message: JsonObject) =>
    chunks.push({ type, index, delta: { message } })
  const { thinking, text } = written
  if (thinking !== undefined) {
    for (const chunk of chunksOf(thinking, size))
      add("content-delta", 0, { content: { thinking: chunk } })
  }
  if (text !== undefined) {
    for (const chunk of chunksOf(text, size)) add("content-delta", 1, { content: { text: chunk } })
    for (const [index, citations] of written.citations.entries()) {
      add("citation-start", index, { citations })
    }
  }
  for (const [index, { id, type, function: called }] of written.calls.entries()) {
    const opened = { id, type, function: { name: called.name, arguments: "" } }
    add("tool-call-start", index, { tool_calls: opened })
    for (const chunk of chunksOf(called.arguments, size)) {
      add("tool-call-delta", index, { tool_calls: { function: { arguments: chunk } } })
    }
    chunks.push({ type: "tool-call-end", index })
  }
  const { finish_reason, usage } = written
  chunks.push({ type: "message-end", delta: { finish_reason, usage } })
  const frames = chunks.map((chunk) => `event: ${chunk.type}\ndata: ${JSON.stringify(chunk)}\n\n`)
  return `${frames.join("")}data: [DONE]\n\n`
}

function chunksOf(text: string, size: number): string[] {
  const list: string[] = []
  for (let start = 0; start < text.length; start += size) list.push(text.slice(start, start + size))
  return list
}

test("a Cohere stream decodes to the same response as the complete response, for any split of the bytes", () => {
  fc.assert(
    fc.property(
      response,
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.nat()),
      (written, size, cuts) => {
        const stream = streamOf(written, size)
        const frames = framesOf(stream)
        const { events, finished } = decoded(frames)
        expect(finished).toBe(true)
        expect(foldEvents(events)).toEqual(COHERE_CHAT.decodeResult(wholeOf(written)))
        const places = cuts.map((cut) => cut % stream.length)
        expect(decoded(framesOf(stream, places)).events).toEqual(events)
      },
    ),
    { numRuns: 300 },
  )
})
