import { describe, expect, test } from "bun:test"
import type { ChatResult } from "../../../src/canon/chat.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { totalInput, totalOutput, type Usage } from "../../../src/canon/usage.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import {
  bodyRecordings,
  chunkRecordings,
  converseRecordings,
  decode,
  framesOf,
} from "./fixtures.ts"

/** The content of a recording, read without the decoder. */
interface Reading {
  text: string
  reasoning: string
  signatures: string[]
  redacted: string[]
  calls: { id: string; name: string; input: JsonValue }[]
}

interface LooseCall {
  readonly toolUseId: string
  readonly name: string
  readonly type?: string
}

/** The members of blocks, deltas and starts that are read. */
interface LooseBlock {
  readonly text?: string
  readonly citationsContent?: { readonly content: readonly { readonly text: string }[] }
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature?: string }
    readonly text?: string
    readonly signature?: string
    readonly redactedContent?: string
  }
  readonly toolUse?: Partial<LooseCall> & { readonly input: JsonValue }
}

interface LoosePayload {
  readonly contentBlockIndex: number
  readonly start?: LooseBlock
  readonly delta: LooseBlock
  readonly usage: JsonObject
}

interface Received {
  readonly event: string | undefined
  readonly payload: LoosePayload
}

function readWhole(response: JsonObject): Reading {
  const reading: Reading = { text: "", reasoning: "", signatures: [], redacted: [], calls: [] }
  const { message } = response.output as { message: unknown }
  for (const block of (message as { content: LooseBlock[] }).content) {
    if (block.text) reading.text += block.text
    for (const chunk of block.citationsContent?.content ?? []) reading.text += chunk.text
    const { reasoningText, redactedContent } = block.reasoningContent ?? {}
    if (reasoningText) reading.reasoning += reasoningText.text
    if (reasoningText?.signature) reading.signatures.push(reasoningText.signature)
    if (redactedContent) reading.redacted.push(redactedContent)
    const { toolUseId, name, input, type } = block.toolUse ?? { input: null }
    if (name && toolUseId && type !== "server_tool_use") {
      reading.calls.push({ id: toolUseId, name, input })
    }
  }
  return reading
}

function readStream(payloads: readonly Received[]): Reading {
  const reading: Reading = { text: "", reasoning: "", signatures: [], redacted: [], calls: [] }
  const inputs = new Map<number, { id: string; name: string; text: string }>()
  for (const { event, payload } of payloads) {
    if (event === "contentBlockStart") {
      const { toolUseId, name, type } = payload.start?.toolUse ?? { input: null }
      if (name && toolUseId && type !== "server_tool_use") {
        inputs.set(payload.contentBlockIndex, { id: toolUseId, name, text: "" })
      }
    }
    if (event !== "contentBlockDelta") continue
    const { text, reasoningContent, toolUse } = payload.delta
    if (text) reading.text += text
    if (reasoningContent?.text) reading.reasoning += reasoningContent.text
    if (reasoningContent?.signature) reading.signatures.push(reasoningContent.signature)
    if (reasoningContent?.redactedContent) reading.redacted.push(reasoningContent.redactedContent)
    const call = inputs.get(payload.contentBlockIndex)
    if (toolUse && call) call.text += String(toolUse.input)
  }
  for (const { id, name, text } of inputs.values()) {
    reading.calls.push({ id, name, input: JSON.parse(text || "{}") })
  }
  return reading
}

function readResult(result: ChatResult): Reading {
  const reading: Reading = { text: "", reasoning: "", signatures: [], redacted: [], calls: [] }
  for (const part of result.choices[0]?.parts ?? []) {
    if (part.type === "text") reading.text += part.text
    if (part.type === "tool-call") {
      const { id, name, arguments: text } = part
      reading.calls.push({ id, name, input: JSON.parse(text) })
    }
    if (part.type !== "reasoning") continue
    reading.reasoning += part.text
    const { signature, signedBy, isRedacted } = part
    if (signature === undefined) continue
    expect(signedBy).toBe("bedrock-converse")
    if (isRedacted) reading.redacted.push(signature)
    else reading.signatures.push(signature)
  }
  return reading
}

function expectConsistent(usage: Usage | undefined, reported: JsonObject): void {
  expect(usage).toBeDefined()
  expect(totalInput(usage!) + totalOutput(usage!)).toBe(Number(reported.totalTokens))
  expect(usage!.inputFresh).toBe(Number(reported.inputTokens))
  expect(usage!.inputCacheRead).toBe(Number(reported.cacheReadInputTokens ?? 0))
  expect(usage!.inputCacheWrite + usage!.inputCacheWrite1h).toBe(
    Number(reported.cacheWriteInputTokens ?? 0),
  )
}

const recordings = converseRecordings()
const answered = recordings.filter(({ status }) => status === 200)

test.skipIf(!HAS_FIXTURES)(`recordings of Bedrock exist${WITHOUT_FIXTURES}`, () => {
  expect(answered.length).toBeGreaterThan(25)
  expect(recordings.length - answered.length).toBeGreaterThan(2)
  expect(chunkRecordings().length).toBeGreaterThan(5)
  expect(bodyRecordings().length).toBeGreaterThan(4)
})

describe(`recorded Bedrock responses${WITHOUT_FIXTURES}`, () => {
  const whole = [
    ...answered.map(({ name, response }) => ({ name, response })),
    ...bodyRecordings(),
  ].filter(({ response }) => !Buffer.isBuffer(response)) as { name: string; response: JsonObject }[]
  for (const { name, response } of whole) {
    test(`match an independent decoder: ${name}`, () => {
      const result = BEDROCK_CONVERSE.decodeResult(response)
      expect(readResult(result)).toEqual(readWhole(response))
      expectConsistent(result.usage, response.usage as JsonObject)
      expect(result.choices).toHaveLength(1)
      expect(result.choices[0]?.finish).not.toBe("other")
    })
  }
})

describe(`recorded Bedrock streams${WITHOUT_FIXTURES}`, () => {
  for (const { name, response } of answered) {
    if (!Buffer.isBuffer(response)) continue
    test(`decode to the same result for any split of their bytes: ${name}`, () => {
      const frames = framesOf(response)
      const events = decode(frames)
      for (const length of [1, 7, 64, 1000]) {
        expect(decode(framesOf(response, length))).toEqual(events)
      }
      const parsed = frames.map((frame) => ({ ...frame, json: JSON.parse(frame.data) }))
      expect(decode(parsed)).toEqual(events)
      const result = foldEvents(events)
      const payloads = parsed.map(({ event, json }) => ({ event, payload: json }))
      expect(readResult(result)).toEqual(readStream(payloads))
      expectConsistent(result.usage, payloads.at(-1)!.payload.usage)
      expect(events[0]).toEqual({ type: "start" })
      expect(events.filter(({ type }) => type === "finish")).toHaveLength(1)
    })
  }
})

describe(`recorded payloads of Bedrock streams${WITHOUT_FIXTURES}`, () => {
  for (const { name, frames } of chunkRecordings()) {
    test(`match an independent decoder: ${name}`, () => {
      const events = decode(frames)
      const payloads = frames.map(({ event, data }) => ({ event, payload: JSON.parse(data) }))
      expect(readResult(foldEvents(events))).toEqual(readStream(payloads))
      const decoder = BEDROCK_CONVERSE.decodeEvents()
      for (const frame of frames) decoder.push(frame)
      // Some of these recordings end before the usage.
      decoder.end()
      expect(decoder.finished).toBe(true)
    })
  }
})

describe(`recorded Bedrock errors${WITHOUT_FIXTURES}`, () => {
  for (const { name, status, headers, response } of recordings) {
    if (status === 200) continue
    test(`show the vendor's message only if the request is invalid: ${name}`, () => {
      const error = BEDROCK_CONVERSE.decodeError(status, response, headers)
      const message = String((response as JsonObject).message)
      const isModel = message.includes("model identifier is invalid")
      if (status === 400 && !isModel) {
        expect(error.kind).toBe("rejected_by_upstream")
        expect(error.message).toBe(message)
      } else {
        expect(error.kind).toBe("upstream_error")
        expect(error.message).not.toContain(message)
      }
    })
  }
})
