import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../src/canon/chat.ts"
import type { ClientDialect, UpstreamDialect } from "../../src/canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"
import { CLIENTS, UPSTREAMS } from "../golden/dialects.ts"
import { expectBelow, threadTime } from "../support/processor-time.ts"
import { changed, isRejected, memberAt, type Path, pathsIn } from "./large-members.ts"
import { RESPONSES } from "./sample-responses.ts"

/**
 * A response with a large list must be rejected, or converted within the time that other callers may wait. Each list in
 * the responses of each provider is made large, both alone and within another list.
 */

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: false,
  streamUsage: false,
  choices: 128,
}
const ELEMENTS = 200_000
/** Number of elements in a list around a large list. */
const OUTER = 500
const MAX_MS = 150

function repeated(count: number) {
  return (list: JsonValue): JsonValue => {
    const [first = 0] = list as JsonValue[]
    return Array.from({ length: count }, () => first)
  }
}

/** Yields copies of a response. In each copy, one list is large, or a list in each element of another list is large. */
function* largeResponses(response: JsonObject): Generator<[string, () => JsonObject]> {
  const lists = [...pathsIn(response)].filter((path) => Array.isArray(memberAt(response, path)))
  for (const path of lists) {
    yield [path.join("."), () => changed(response, path, repeated(ELEMENTS))]
    for (const outer of lists.filter((each) => isWithin(path, each))) {
      const name = `${path.join(".")} in each of ${outer.join(".")}`
      yield [name, () => widened(response, path, outer)]
    }
  }
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.length < path.length && outer.every((step, index) => step === path[index])
}

function widened(response: JsonObject, path: Path, outer: Path): JsonObject {
  const wide = changed(response, path, repeated(ELEMENTS / OUTER))
  return changed(wide, outer, repeated(OUTER))
}

function translate(upstream: UpstreamDialect, client: ClientDialect, body: JsonObject): void {
  const result = upstream.decodeResult(body, REQUEST)
  const written = client.encodeResult({ ...result, model: "m" }, REQUEST)
  // Choices are encoded only when they are read.
  const choices = written.choices
  if (Array.isArray(choices)) for (const choice of choices) void choice
}

describe.each(UPSTREAMS.map((each) => [each.id, each] as const))(
  "responses of %s",
  (id, upstream) => {
    const cases = (RESPONSES[id] ?? []).flatMap((response) => [...largeResponses(response)])

    test.each(cases)(
      "convert quickly, or fail quickly, if they have a large list: %s",
      (_, make) => {
        const body = make()
        for (const client of CLIENTS) {
          const work = () => void isRejected(() => translate(upstream, client, body))
          expectBelow(threadTime(work, MAX_MS), MAX_MS)
        }
      },
    )
  },
)

describe("a response of any vendor", () => {
  const annotation = { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 }
  const text = { type: "output_text", text: "a", annotations: [annotation] }
  const read = (texts: number) => {
    const content = Array.from({ length: texts }, () => text)
    const output = [{ type: "message", role: "assistant", content }]
    return OPENAI_RESPONSES.decodeResult({ object: "response", output }, REQUEST)
  }

  test("has at most 10,000 parts and citations", () => {
    expect(read(9_999).choices[0]?.parts).toHaveLength(9_999)
    expect(() => read(10_000)).toThrow("more than 10,000 parts")
  })

  test("has at most 10,000 parts and citations when it is joined from a stream", () => {
    const cited: ChatEvent = { type: "citation", choice: 0, citation: { url: "u" } }
    const said: ChatEvent = { type: "text-delta", choice: 0, text: "a" }
    const thought: ChatEvent = { type: "reasoning-delta", choice: 0, text: "a" }
    const repeated = (count: number, ...events: ChatEvent[]) =>
      Array.from({ length: count }, () => events).flat()
    expect(foldEvents(repeated(5_000, said, thought)).choices[0]?.parts).toHaveLength(10_000)
    expect(() => foldEvents(repeated(5_001, said, thought))).toThrow("more than 10,000 parts")
    expect(() => foldEvents([said, ...repeated(10_001, cited)])).toThrow("10,000 citations")
  })
})
