import { describe, expect, test } from "bun:test"
import type { ChatResult } from "../../../src/canon/chat.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { totalInput, totalOutput } from "../../../src/canon/usage.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { decoded, framesOf, recordings } from "./fixtures.ts"

/** The content of recorded lines, read without the decoder. */
interface Reading {
  text: string
  reasoning: string
  calls: { id: string; name: string; arguments: string }[]
  citations: number
  finish: string
  tokens: { input: number; cached: number; output: number; reasoning: number }
}

interface LooseCall {
  id: string
  function: { name: string; arguments: string }
}

interface LooseUsage {
  tokens?: Record<string, number>
  billed_units?: Record<string, number>
  cached_tokens?: number
}

/** Returns the billed units. If there are none, returns the tokens that the model read and wrote. */
function tokensOf(usage: LooseUsage): Reading["tokens"] {
  const { tokens, billed_units: billed, cached_tokens: cached = 0 } = usage
  if (billed?.input_tokens !== undefined || billed?.output_tokens !== undefined) {
    const output = billed.output_tokens ?? 0
    const reasoning = Math.min(tokens?.reasoning_tokens ?? 0, output)
    return { input: billed.input_tokens ?? 0, cached: 0, output, reasoning }
  }
  return {
    input: (tokens?.input_tokens ?? 0) + (tokens?.image_tokens ?? 0),
    cached,
    output: tokens?.output_tokens ?? 0,
    reasoning: tokens?.reasoning_tokens ?? 0,
  }
}

function callOf({ id, function: called }: LooseCall) {
  const written = called.arguments === "null" ? "" : called.arguments
  return { id, name: called.name, arguments: written || "{}" }
}

function readWhole(body: JsonObject): Reading {
  const {
    message,
    finish_reason: finish,
    usage,
  } = body as unknown as {
    message: {
      content?: { text?: string; thinking?: string }[]
      tool_plan?: string
      tool_calls?: LooseCall[]
      citations?: unknown[]
    }
    finish_reason: string
    usage: LooseUsage
  }
  const content = message.content ?? []
  return {
    text: content.map((block) => block.text ?? "").join(""),
    reasoning: content.map((block) => block.thinking ?? "").join("") + (message.tool_plan ?? ""),
    calls: (message.tool_calls ?? []).map(callOf),
    citations: (message.citations ?? []).length,
    finish,
    tokens: tokensOf(usage),
  }
}

function readStream(stream: string): Reading {
  const reading = { ...readWhole({ message: {}, usage: { tokens: {} } } as JsonObject) }
  const calls: LooseCall[] = []
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data: {")) continue
    const { type, delta } = JSON.parse(line.slice("data: ".length))
    if (type === "content-delta") {
      reading.text += delta.message.content.text ?? ""
      reading.reasoning += delta.message.content.thinking ?? ""
    }
    if (type === "tool-plan-delta") reading.reasoning += delta.message.tool_plan
    if (type === "tool-call-start") calls.push(delta.message.tool_calls)
    if (type === "tool-call-delta") {
      const last = calls.at(-1)
      if (last) last.function.arguments += delta.message.tool_calls.function.arguments
    }
    if (type === "citation-start") reading.citations++
    if (type === "message-end") {
      reading.finish = delta.finish_reason
      reading.tokens = tokensOf(delta.usage)
    }
  }
  return { ...reading, calls: calls.map(callOf) }
}

const FINISH: Record<string, string> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool-calls",
}

function expectReading(result: ChatResult, reading: Reading): void {
  expect(result.choices).toHaveLength(1)
  const parts = result.choices[0]?.parts ?? []
  const joined = (type: "text" | "reasoning") =>
    parts.map((part) => (part.type === type ? part.text : "")).join("")
  expect(joined("text")).toBe(reading.text)
  expect(joined("reasoning")).toBe(reading.reasoning)
  const calls = parts.filter((part) => part.type === "tool-call")
  expect(
    calls.map(({ id, name, arguments: written }) => ({ id, name, arguments: written })),
  ).toEqual(reading.calls)
  // In the recordings, every citation has one source.
  const cited = parts.flatMap((part) => (part.type === "text" ? (part.citations ?? []) : []))
  expect(cited).toHaveLength(reading.citations)
  for (const { start, end, quote } of cited) {
    expect(Number(end)).toBeGreaterThan(Number(start))
    expect(quote).toBeTruthy()
  }
  expect(result.choices[0]?.finish).toBe(FINISH[reading.finish] as "stop")
  const { usage } = result
  if (usage === undefined) throw new Error("no usage")
  expect(totalInput(usage)).toBe(reading.tokens.input)
  expect(usage.inputCacheRead).toBe(reading.tokens.cached)
  expect(totalOutput(usage)).toBe(reading.tokens.output)
  expect(usage.reasoning).toBe(reading.tokens.reasoning)
  expect(result.id).toMatch(/^[0-9a-f-]{36}$/)
}

const answered = recordings().filter(({ status }) => status === 200)

test.skipIf(!HAS_FIXTURES)(`Cohere recordings can be read${WITHOUT_FIXTURES}`, () => {
  expect(answered.filter(({ response }) => typeof response === "string").length).toBeGreaterThan(5)
  expect(answered.filter(({ response }) => isJsonObject(response)).length).toBeGreaterThan(15)
})

describe(`recorded Cohere responses${WITHOUT_FIXTURES}`, () => {
  for (const { name, response } of answered) {
    test(`match an independent decoder: ${name}`, () => {
      if (isJsonObject(response)) {
        expectReading(COHERE_CHAT.decodeResult(response), readWhole(response))
        return
      }
      const { events, finished } = decoded(framesOf(response))
      expect(finished).toBe(true)
      for (const step of [1, 7, 64, 1000]) {
        const cuts = Array.from(
          { length: Math.floor(response.length / step) },
          (_, at) => at * step,
        )
        expect(decoded(framesOf(response, cuts)).events).toEqual(events)
      }
      expectReading(foldEvents(events), readStream(response))
    })
  }
})

describe(`Cohere responses from the fixtures of another client${WITHOUT_FIXTURES}`, () => {
  const whole = ["citations", "max-tokens", "null-args", "reasoning", "tool-call"]
  const streamed = ["empty-tool-call", "text", "tool-call"]
  for (const name of HAS_FIXTURES ? whole : []) {
    test(`match an independent decoder: ${name}`, () => {
      const body = JSON.parse(readFixture(`vercel-ai/cohere/cohere-${name}.json`)) as JsonObject
      expectReading(COHERE_CHAT.decodeResult(body), readWhole(body))
    })
  }
  for (const name of HAS_FIXTURES ? streamed : []) {
    test(`match an independent decoder when streamed: ${name}`, () => {
      const lines = readFixture(`vercel-ai/cohere/cohere-${name}.chunks.txt`).trim().split("\n")
      const stream = lines.map((line) => `data: ${line}\n\n`).join("")
      const { events, finished } = decoded(framesOf(stream))
      expect(finished).toBe(true)
      expectReading(foldEvents(events), readStream(stream))
    })
  }
})

interface OracleCase {
  readonly body: { readonly usage?: JsonObject }
  readonly extracted: readonly {
    readonly usage: Readonly<Record<string, number>>
    readonly extractors: readonly { readonly provider_id: string; readonly api_flavor: string }[]
  }[]
}

test.skipIf(!HAS_FIXTURES)(
  `Cohere's billed usage agrees with the independent oracle${WITHOUT_FIXTURES}`,
  () => {
    const cases = JSON.parse(readFixture("prices/genai-prices.usages-oracle.json")) as OracleCase[]
    let compared = 0
    for (const { body, extracted } of cases) {
      for (const { usage: expected, extractors } of extracted) {
        const isOurs = extractors.some(
          ({ provider_id: provider, api_flavor: flavor }) =>
            provider === "cohere" && flavor === "default",
        )
        if (!isOurs || body.usage?.billed_units === undefined) continue
        const response = {
          message: { role: "assistant" },
          finish_reason: "COMPLETE",
          usage: body.usage,
        }
        const { usage } = COHERE_CHAT.decodeResult(response)
        if (usage === undefined) throw new Error("no usage")
        expect({
          input_tokens: totalInput(usage),
          output_tokens: totalOutput(usage),
          ...(usage.inputCacheRead > 0 ? { cache_read_tokens: usage.inputCacheRead } : {}),
        }).toEqual(expected as { input_tokens: number; output_tokens: number })
        compared++
      }
    }
    expect(compared).toBeGreaterThan(1)
  },
)
