import { describe, expect, test } from "bun:test"
import type { ChatResult, Choice } from "../../../src/canon/chat.ts"
import type { Part, TextPart, ToolCallPart } from "../../../src/canon/message.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { totalInput } from "../../../src/canon/usage.ts"
import {
  ANTHROPIC_MESSAGES,
  anthropicMessages,
} from "../../../src/dialects/anthropic-messages/index.ts"
import { decodeCountRequest } from "../../../src/dialects/anthropic-messages/request/decode.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import {
  anthropicRecordings,
  decodeStream,
  fixturesIn,
  framesOf,
  framesOfLines,
  messageOfFrames,
  parsed,
  readingOf,
  readingOfMessage,
} from "./fixtures.ts"

const recordings = anthropicRecordings()
const answered = recordings.filter(({ status }) => status === 200)
const whole = answered.filter(({ response }) => typeof response === "object")
const streamed = answered.filter(({ response }) => typeof response === "string")

/** A model that does not belong to any family, so that all parameters are sent. */
const KEEPING = anthropicMessages({
  temperatureWithTopP: true,
  thinking: "either",
  families: [],
})

test.skipIf(!HAS_FIXTURES)(`recordings of Anthropic exist${WITHOUT_FIXTURES}`, () => {
  expect(whole.length).toBeGreaterThan(60)
  expect(streamed.length).toBeGreaterThan(10)
})

function hasSystemMessage({ messages }: JsonObject): boolean {
  return (
    Array.isArray(messages) && messages.some((item) => isJsonObject(item) && item.role === "system")
  )
}

/**
 * Whether a request has an effort but no thinking. For other vendors, an effort also requests thinking, so the request
 * is decoded with thinking.
 */
function isEffortAlone({ thinking, output_config: output }: JsonObject): boolean {
  return thinking === undefined && isJsonObject(output) && output.effort !== undefined
}

describe(`recorded Anthropic requests${WITHOUT_FIXTURES}`, () => {
  for (const { file, request, isCut } of answered) {
    if (isCut || hasSystemMessage(request)) continue
    test(`decode and encode without losses: ${file}`, () => {
      // An empty list of tools is omitted.
      const { tools, ...rest } = ANTHROPIC_MESSAGES.decodeRequest(request)
      const decoded = tools?.length === 0 ? rest : { ...rest, ...(tools && { tools }) }
      expect(decoded.model).toBe(String(request.model))
      expect(decoded.maxTokens).toBe(Number(request.max_tokens))
      const { body, losses } = KEEPING.encodeRequest(decoded)
      expect(losses).toEqual([])
      if (!isEffortAlone(request)) expect(ANTHROPIC_MESSAGES.decodeRequest(body)).toEqual(decoded)
    })
  }

  for (const { file, request } of anthropicRecordings(/\/count_tokens/)) {
    test(`can be decoded as token count requests: ${file}`, () => {
      expect(decodeCountRequest(request).model).toBe(String(request.model))
    })
  }
})

/** Joins texts that are separated only by citations or by tools of the vendor. A stream joins them too. */
function joined(result: ChatResult): ChatResult {
  return { ...result, choices: result.choices.map(joinedChoice) }
}

function joinedChoice(choice: Choice): Choice {
  const { parts, extra: _, ...rest } = choice
  const joinedParts: Part[] = []
  for (const part of parts) {
    const last = joinedParts.at(-1)
    if (part.type === "unknown") continue
    if (part.type === "tool-call") joinedParts.push(withPlainArguments(part))
    else if (part.type !== "text") joinedParts.push(part)
    else if (last?.type === "text") joinedParts[joinedParts.length - 1] = joinedText(last, part)
    else if (part.text !== "") joinedParts.push(part)
  }
  return { ...rest, parts: joinedParts }
}

/** Removes the spaces in a model's JSON arguments, because the gateway writes JSON without spaces. */
function withPlainArguments(part: ToolCallPart): ToolCallPart {
  return { ...part, arguments: JSON.stringify(JSON.parse(part.arguments)) }
}

function joinedText(left: TextPart, right: TextPart): TextPart {
  const citations = [...(left.citations ?? []), ...(right.citations ?? [])]
  const text = left.text + right.text
  return citations.length === 0 ? { type: "text", text } : { type: "text", text, citations }
}

function withoutRawFinish(choice: Choice): Choice {
  const { rawFinish: _, ...rest } = choice
  return rest
}

function expectMessage(message: JsonObject): void {
  const result = ANTHROPIC_MESSAGES.decodeResult(message)
  expect(readingOf(result)).toEqual(readingOfMessage(message))
  const { iterations, ...sums } = message.usage as JsonObject
  const compactions = (Array.isArray(iterations) ? iterations : [])
    .filter(isJsonObject)
    .filter((iteration) => iteration.type === "compaction")
  const counted = [sums, ...compactions].map((usage) => usage as Record<string, number>)
  const total = (names: readonly string[]): number =>
    counted.flatMap((usage) => names.map((name) => usage[name] ?? 0)).reduce((a, b) => a + b, 0)
  expect(totalInput(result.usage!)).toBe(
    total(["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]),
  )
  expect(result.usage?.output).toBe(total(["output_tokens"]))
  const request = { ...REQUEST, model: "m" }
  const encoded = ANTHROPIC_MESSAGES.encodeResult(result, request)
  expect(readingOfMessage(encoded)).toEqual(readingOfMessage(message))
  expect(encoded).toMatchObject({
    id: message.id,
    model: message.model,
    stop_reason: message.stop_reason,
    stop_sequence: message.stop_sequence ?? null,
    usage: { input_tokens: total(["input_tokens"]), output_tokens: total(["output_tokens"]) },
  })
  const again = ANTHROPIC_MESSAGES.decodeResult(encoded)
  expect(again).toEqual(result)
}

const REQUEST = { model: "m", messages: [], stream: true, streamUsage: true, choices: 1 } as const

function expectStream(text: string): void {
  const frames = framesOf(text)
  const events = decodeStream(frames)
  for (const length of [1, 7, 64, 1000]) {
    expect(decodeStream(framesOf(text, length))).toEqual(events)
  }
  expect(decodeStream(parsed(frames))).toEqual(events)
  // A streamed response must equal the response that is not streamed.
  const message = messageOfFrames(frames)
  const folded = foldEvents(events)
  const direct = ANTHROPIC_MESSAGES.decodeResult(message)
  expect(joined(folded)).toEqual(joined(direct))
  expect(readingOf(folded)).toEqual(readingOfMessage(message))
  // The decoded response must also be streamable again.
  const encoder = ANTHROPIC_MESSAGES.encodeEvents(REQUEST)
  const again = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
  const refolded = foldEvents(decodeStream(again))
  expect(joined(refolded).choices.map(withoutRawFinish)).toEqual(
    joined(folded).choices.map(withoutRawFinish),
  )
  expect(refolded.usage).toEqual(folded.usage!)
  for (const { event, data } of again) expect(JSON.parse(data).type).toBe(event)
}

/** Splits frames into messages, because some files contain the responses of several turns. */
function messagesOf(frames: readonly SseFrame[]): SseFrame[][] {
  const messages: SseFrame[][] = [[]]
  for (const frame of frames) {
    messages.at(-1)?.push(frame)
    if (frame.event === "message_stop") messages.push([])
  }
  return messages.filter(({ length }) => length > 0)
}

describe(`recorded Anthropic responses${WITHOUT_FIXTURES}`, () => {
  for (const { file, response } of whole)
    test(`keep their content when decoded and encoded: ${file}`, () =>
      expectMessage(response as JsonObject))

  for (const file of fixturesIn("vercel-ai/anthropic/", ".json")) {
    test(`keep their content when decoded and encoded: ${file}`, () =>
      expectMessage(JSON.parse(readFixture(file))))
  }
})

describe(`recorded Anthropic streams${WITHOUT_FIXTURES}`, () => {
  for (const { file, response } of streamed)
    test(`keep their content when decoded and encoded: ${file}`, () =>
      expectStream(String(response)))

  for (const file of fixturesIn("vercel-ai/anthropic/", ".chunks.txt")) {
    test(`keep their content when decoded and encoded: ${file}`, () => {
      for (const frames of messagesOf(framesOfLines(readFixture(file)))) {
        expectStream(frames.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join(""))
      }
    })
  }

  for (const file of fixturesIn("anthropic-sdk/", "")) {
    if (file.includes("incomplete")) continue
    test(`keep their content when decoded and encoded: ${file}`, () =>
      expectStream(readFixture(file)))
  }

  test.skipIf(!HAS_FIXTURES)("keep truncated arguments unchanged", () => {
    const text = readFixture("anthropic-sdk/py-incomplete_partial_json_response.txt")
    const result = foldEvents(decodeStream(framesOf(text)))
    const [said, call] = result.choices[0]?.parts ?? []
    expect(said).toMatchObject({ type: "text" })
    expect(call).toMatchObject({ type: "tool-call", name: "make_file" })
    expect(call?.type === "tool-call" && call.arguments).toStartWith('{"filename": "taxes.txt')
    expect(result.choices[0]?.finish).toBe("length")
  })
})

describe(`recorded Anthropic streams after patching${WITHOUT_FIXTURES}`, () => {
  for (const { file, response } of streamed) {
    test(`report usage once and end with the last event: ${file}`, () => {
      const patcher = ANTHROPIC_MESSAGES.patches.frames({ model: "a/b", streamUsage: true })
      const frames = parsed(framesOf(String(response)))
      const sent = frames.map((frame) => ({ frame, patched: patcher.push(frame) }))
      expect(sent.filter(({ patched }) => patched.action === "last")).toHaveLength(1)
      expect(sent.at(-1)?.patched.action).toBe("last")
      expect(sent.filter(({ patched }) => patched.usageCarrier).length).toBe(1)
      for (const { frame, patched } of sent) {
        expect(patched.event).toBe(frame.event!)
        expect(frame.json).toEqual(JSON.parse(frame.data))
        if (frame.event === "message_start") {
          expect(JSON.parse(patched.data).message.model).toBe("a/b")
        } else expect(patched.data).toBe(frame.data)
      }
    })
  }
})
