import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatResult } from "../../../src/canon/chat.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../../src/canon/json.ts"
import { totalInput, totalOutput, type Usage } from "../../../src/canon/usage.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { type GeminiRecording, geminiRecordings } from "./recorded.ts"
import { at, decodeFrames, frame, framesOf, withoutMintedIds } from "./support.ts"

/** The content of recorded chunks, read without the decoder. */
interface Reading {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly { readonly name: string; readonly arguments: JsonValue }[]
  readonly signatures: readonly string[]
}

function partsOf(chunks: readonly JsonValue[]): JsonObject[] {
  return chunks.flatMap((chunk) => {
    const parts = at(chunk, "candidates", 0, "content", "parts")
    return Array.isArray(parts) ? parts.filter(isJsonObject) : []
  })
}

/** Whether the arguments of a call are in several chunks. Tests of streamed arguments cover this. */
function hasChunks(parts: readonly JsonObject[]): boolean {
  return parts.some((part) => JSON.stringify(part).includes('"willContinue"'))
}

function read(parts: readonly JsonObject[]): Reading {
  const texts = parts.filter(({ text }) => typeof text === "string")
  const told = (isThought: boolean): string =>
    texts
      .filter(({ thought }) => (thought === true) === isThought)
      .map(({ text }) => String(text))
      .join("")
  return {
    text: told(false),
    thoughts: told(true),
    calls: parts.flatMap(({ functionCall: call }) =>
      isJsonObject(call) ? [{ name: String(call.name), arguments: call.args ?? {} }] : [],
    ),
    signatures: parts
      .filter((part) => part.executableCode === undefined)
      .flatMap(({ thoughtSignature }) => (thoughtSignature ? [String(thoughtSignature)] : [])),
  }
}

function readResult(result: ChatResult): Reading {
  const parts = result.choices[0]?.parts ?? []
  return {
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    thoughts: parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join(""),
    calls: parts.flatMap((part) =>
      part.type === "tool-call"
        ? [{ name: part.name, arguments: JSON.parse(part.arguments) as JsonValue }]
        : [],
    ),
    signatures: parts.flatMap((part) =>
      part.type === "reasoning" && part.signature !== undefined ? [part.signature] : [],
    ),
  }
}

function expectUsage(usage: Usage | undefined, chunks: readonly JsonValue[]): void {
  const reported = chunks.map((chunk) => at(chunk, "usageMetadata")).filter(isJsonObject)
  const last = reported.findLast(({ totalTokenCount }) => totalTokenCount !== undefined)
  if (last === undefined) {
    expect(usage).toBeUndefined()
    return
  }
  if (usage === undefined) throw new Error("no usage")
  for (const quantity of Object.values(usage)) expect(quantity).toBeGreaterThanOrEqual(0)
  expect(totalInput(usage) + totalOutput(usage)).toBe(Number(last.totalTokenCount))
  expect(usage.inputCacheRead).toBe(Number(last.cachedContentTokenCount ?? 0))
  expect(usage.reasoning).toBe(Number(last.thoughtsTokenCount ?? 0))
}

/** Whether enum values are numbers. Another client requested this form from Gemini. */
function hasNumberedWords({ chunks }: GeminiRecording): boolean {
  return typeof at(chunks[0], "candidates", 0, "finishReason") === "number"
}

function expectedFinish({ chunks }: GeminiRecording, calls: number): string {
  const words = chunks.map((chunk) => at(chunk, "candidates", 0, "finishReason"))
  const word = words.findLast((each) => each !== undefined)
  if (word === "MAX_TOKENS") return "length"
  if (word === "MODEL_ARMOR") return "content-filter"
  // Calls of tools that the request did not offer are passed on.
  if (word === "UNEXPECTED_TOOL_CALL" && calls > 0) return "tool-calls"
  if (word === "STOP") return calls > 0 ? "tool-calls" : "stop"
  return "other"
}

const recordings = geminiRecordings()
const given = recordings.filter(({ status }) => status === 200)
const whole = given.filter(({ isStream }) => !isStream)
const streamed = given.filter(({ isStream }) => isStream)

test.skipIf(!HAS_FIXTURES)(`recordings of Gemini exist${WITHOUT_FIXTURES}`, () => {
  expect(whole.length).toBeGreaterThan(50)
  expect(streamed.length).toBeGreaterThan(45)
  expect(recordings.length - given.length).toBeGreaterThan(5)
})

describe(`recorded Gemini responses${WITHOUT_FIXTURES}`, () => {
  for (const recording of whole) {
    test(`match an independent decoder: ${recording.id}`, () => {
      const [body] = recording.chunks
      if (!isJsonObject(body)) throw new Error("no answer")
      const result = GEMINI.decodeResult(body)
      const reading = read(partsOf([body]))
      expect(readResult(result)).toEqual(reading)
      expect(result.model).toBe(String(body.modelVersion))
      expect(result.choices.map(({ finish }) => finish as string)).toEqual([
        expectedFinish(recording, reading.calls.length),
      ])
      expectUsage(result.usage, [body])
    })
  }
})

function foldChunks(chunks: readonly JsonValue[]): ChatResult {
  return foldEvents(decodeFrames(chunks.filter(isJsonObject).map(frame)))
}

describe(`recorded Gemini streams${WITHOUT_FIXTURES}`, () => {
  for (const recording of streamed) {
    test(`match an independent decoder: ${recording.id}`, () => {
      const { chunks } = recording
      const result = foldChunks(chunks)
      const reading = read(partsOf(chunks))
      const heard = readResult(result)
      const { calls, signatures, ...words } = reading
      expect(heard).toMatchObject(words)
      if (!hasChunks(partsOf(chunks))) expect(heard.calls).toHaveLength(calls.length)
      expect(heard.signatures).toEqual([...signatures])
      const id = at(chunks[0], "responseId")
      expect(result.id).toBe(typeof id === "string" ? id : undefined)
      expect(result.choices[0]?.finish as string).toBe(
        expectedFinish(recording, heard.calls.length),
      )
      expectUsage(result.usage, chunks)
    })
  }

  for (const { id, text } of streamed) {
    if (text === undefined) continue
    test(`decode to the same result for any split of their bytes: ${id}`, () => {
      const decoded = (lengths?: readonly number[]): ChatEvent[] =>
        withoutMintedIds(decodeFrames(framesOf(text, lengths)))
      const events = decoded()
      for (const lengths of [[1], [7, 1, 30], [64], [1000, 3]]) {
        expect(decoded(lengths)).toEqual(events)
      }
    })
  }

  test.skipIf(!HAS_FIXTURES)(`finish only at their last frame${WITHOUT_FIXTURES}`, () => {
    let cutShort = 0
    for (const recording of streamed) {
      const frames = recording.chunks.filter(isJsonObject).map(frame)
      const decoder = GEMINI.decodeEvents()
      expect(decoder.finished).toBe(false)
      for (const each of frames.slice(0, -1)) decoder.push(each)
      const saidStop = recording.id.includes("server_side_MCP_tools")
      if (!saidStop) expect(decoder.finished).toBe(false)
      cutShort++
      const last = frames.at(-1)
      if (last !== undefined) decoder.push(last)
      decoder.end()
      expect(decoder.finished).toBe(true)
    }
    expect(cutShort).toBe(streamed.length)
  })
})

describe(`recorded Gemini errors${WITHOUT_FIXTURES}`, () => {
  for (const { id, status, chunks } of recordings) {
    if (status === 200) continue
    test(`decode to an error kind according to their status: ${id}`, () => {
      const error = GEMINI.decodeError(status, chunks[0])
      const said = at(chunks[0], "error", "message")
      if (status === 400) {
        expect(error).toMatchObject({ kind: "rejected_by_upstream", status: 400, message: said })
        expect(error.details.upstream).toEqual({ status: 400, type: "INVALID_ARGUMENT" })
      } else if (status === 404) {
        expect(error).toMatchObject({ kind: "upstream_error", status: 502 })
        expect(error.message).not.toContain("models/")
      } else {
        expect(error.kind).toBe("upstream_overloaded")
        expect(error.details.retryAfter).toBe(id.includes("context-length") ? 48 : 35)
      }
    })
  }
})

test.skipIf(!HAS_FIXTURES)(
  `recorded Gemini citations reference the cited words${WITHOUT_FIXTURES}`,
  () => {
    let citations = 0
    for (const recording of given) {
      const result = foldChunks(recording.chunks)
      const [choice] = result.choices
      const text = choice?.parts.findLast((part) => part.type === "text")
      const last = recording.chunks.at(-1)
      const metadata = at(last, "candidates", 0, "groundingMetadata")
      if (!isJsonObject(metadata) || text?.citations === undefined) continue
      const words = listAt(metadata, "groundingSupports").flatMap((support) => {
        const indices = at(support, "groundingChunkIndices")
        const said = at(support, "segment", "text")
        return Array.isArray(indices) ? indices.map(() => said) : []
      })
      expect(text.citations.map(({ start, end }) => text.text.slice(start, end))).toEqual(
        words.map(String),
      )
      expect(text.citations.every(({ url }) => url?.startsWith("https://"))).toBe(true)
      expect(text.citations.every(({ title }) => title !== undefined)).toBe(true)
      citations += text.citations.length
    }
    expect(citations).toBeGreaterThan(20)
  },
)

test.skipIf(!HAS_FIXTURES)(
  `a recorded Gemini response decodes to the same result as its recorded stream${WITHOUT_FIXTURES}`,
  () => {
    let compared = 0
    for (const recording of whole) {
      const [body] = recording.chunks
      if (!isJsonObject(body) || hasNumberedWords(recording)) continue
      const result = GEMINI.decodeResult(body)
      const isPlain = result.choices.every(({ parts }) =>
        parts.every(({ type }) => ["text", "reasoning", "tool-call"].includes(type)),
      )
      if (!isPlain) continue
      expect(withoutMintedIds(foldChunks([body]))).toEqual(withoutMintedIds(result))
      compared++
    }
    expect(compared).toBeGreaterThan(40)
  },
)

test("the Gemini decoder reports an invalid response as an error", () => {
  expect(() => GEMINI.decodeResult({})).toThrow(GatewayError)
})
