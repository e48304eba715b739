import { describe, expect, test } from "bun:test"
import type { ChatResult } from "../../../src/canon/chat.ts"
import type { Part } from "../../../src/canon/message.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { totalInput, totalOutput, type Usage } from "../../../src/canon/usage.ts"
import { openAiResponses, OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import {
  otherResponses,
  otherStreams,
  type Reading,
  readResponse,
  recordedResponses,
} from "./recorded.ts"
import {
  decodeStream,
  encodeStream,
  eventsOf,
  framesOf,
  jsonOf,
  lastResponse,
  parsed,
  readByClient,
  readWireByClient,
  REQUEST,
} from "./support.ts"

const recordings = recordedResponses()
const answered = recordings.filter(({ status }) => status === 200)
const whole = [
  ...answered.filter(({ response: answer }) => isJsonObject(answer)),
  ...otherResponses().map(({ file, body }) => ({ file, response: body })),
] as { file: string; response: JsonObject }[]
const streamed = [
  ...answered.filter(({ response: answer }) => typeof answer === "string"),
  ...otherStreams().map(({ file, wire }) => ({ file, response: wire })),
] as { file: string; response: string }[]

test.skipIf(!HAS_FIXTURES)(`recordings of Responses exist${WITHOUT_FIXTURES}`, () => {
  expect(answered.length).toBeGreaterThan(120)
  expect(whole.length).toBeGreaterThan(100)
  expect(streamed.length).toBeGreaterThan(45)
})

/** Returns the content of a decoded response. */
function readResult({ choices: [choice] }: ChatResult): Reading {
  const parts = choice?.parts ?? []
  const texts = parts.filter((part) => part.type === "text")
  return {
    text: texts.map((part) => part.text).join(""),
    refusal: textOf(parts, "refusal"),
    reasoning: textOf(parts, "reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call")
      .map(({ id, name, arguments: written }) => ({ id, name, arguments: written })),
    citations: texts.flatMap(({ citations }) => citations ?? []).length,
  }
}

function textOf(parts: readonly Part[], type: "refusal" | "reasoning"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("")
}

function expectConsistent(usage: Usage | undefined, reported: unknown): void {
  if (!isJsonObject(reported)) {
    expect(usage).toBeUndefined()
    return
  }
  if (usage === undefined) throw new Error("the usage was not read")
  for (const quantity of Object.values(usage)) expect(quantity).toBeGreaterThanOrEqual(0)
  expect(totalInput(usage)).toBe(Number(reported.input_tokens))
  expect(totalOutput(usage)).toBe(Number(reported.output_tokens))
  expect(totalInput(usage) + totalOutput(usage)).toBe(Number(reported.total_tokens))
}

describe("recorded Responses requests", () => {
  for (const { file, request, isCut } of answered) {
    if (request === undefined || isCut || request.background === true) continue
    test(`remain unchanged after decoding and encoding: ${file}`, () => {
      const decoded = OPENAI_RESPONSES.decodeRequest(request)
      expect(decoded.model).toBe(String(request.model))
      // A decoded request must give the same request when it is encoded again.
      const { body } = openAiResponses({ reasoningText: true }).encodeRequest(decoded)
      const again = OPENAI_RESPONSES.decodeRequest(body)
      expect(withoutMarkers(again)).toEqual(withoutMarkers(decoded))
    })
  }
})

/**
 * Removes cache breakpoints, which are not sent, and adds the defaults of functions and images, which are always sent.
 */
function withoutMarkers(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member) => {
      if (key === "cache") return undefined
      if (isJsonObject(member) && member.type === "image") return { detail: "auto", ...member }
      return key === "tools" && Array.isArray(member)
        ? member.map((tool) => ({ strict: false, ...tool }))
        : member
    }),
  )
}

describe("recorded Responses responses", () => {
  for (const { file, response: answer } of whole) {
    test(`match an independent decoder: ${file}`, () => {
      const result = OPENAI_RESPONSES.decodeResult(answer)
      const reading = readResponse(answer)
      expect(readResult(result)).toEqual(reading)
      expectConsistent(result.usage, answer.usage)
      const [choice] = result.choices
      if (answer.status === "completed") expect(choice?.finish).not.toBe("other")
      const encoded = OPENAI_RESPONSES.encodeResult(result, REQUEST)
      expect(readResponse(encoded)).toEqual(reading)
    })
  }
})

/**
 * Returns the response of the last event. The backend of ChatGPT sends no output in it, so the items of earlier events
 * are added.
 */
function withItems(frames: ReturnType<typeof framesOf>): JsonObject {
  const last = lastResponse(frames)
  if (!Array.isArray(last.output) || last.output.length > 0) return last
  const events = frames.map(({ data }) => JSON.parse(data) as JsonObject)
  const done = events.filter(({ type }) => type === "response.output_item.done")
  return { ...last, output: done.map(({ item }) => item ?? null) }
}

describe("recorded Responses streams", () => {
  for (const { file, response: answer } of streamed) {
    test(`decode to the same result for any split of their bytes: ${file}`, () => {
      const events = decodeStream(framesOf(answer))
      for (const length of [1, 7, 64, 1000]) {
        expect(decodeStream(framesOf(answer, length))).toEqual(events)
      }
      expect(decodeStream(parsed(framesOf(answer)))).toEqual(events)
      const last = withItems(framesOf(answer))
      if (events.some(({ type }) => type === "error")) {
        expect(() => foldEvents(events)).toThrow(GatewayError)
        return
      }
      const result = foldEvents(events)
      expect(readResult(result)).toEqual(readResponse(last))
      expectConsistent(result.usage, last.usage)
      expect(result.choices[0]?.finish).toBe(
        OPENAI_RESPONSES.decodeResult(last).choices[0]?.finish ?? "other",
      )
    })

    test(`remain readable for the official client after decoding and encoding, with the same content: ${file}`, async () => {
      const events = decodeStream(framesOf(answer))
      if (events.some(({ type }) => type === "error")) return
      const frames = encodeStream(events)
      const response = await readByClient(frames)
      expect(readResponse(response as unknown as JsonObject)).toEqual(
        readResult(foldEvents(events)),
      )
    })
  }
})

describe("recorded Responses responses that are converted to streams", () => {
  for (const { file, response: answer } of whole) {
    test(`have the same content in the official client: ${file}`, async () => {
      const result = OPENAI_RESPONSES.decodeResult(answer)
      const frames = encodeStream(eventsOf(result))
      const numbers = jsonOf(frames).map(({ sequence_number: number }) => number)
      expect(numbers).toEqual(numbers.map((_, index) => index))
      for (const { event, data } of frames) expect(JSON.parse(data).type).toBe(event)
      const read = readResponse((await readByClient(frames)) as unknown as JsonObject)
      expect(read).toEqual(readResult(result))
    })
  }
})

describe("recorded Responses streams after patching", () => {
  for (const { file, response: answer } of streamed) {
    test(`keep the vendor's frames except for patched fields: ${file}`, () => {
      const patcher = OPENAI_RESPONSES.patches.frames({ model: "vendor/model", streamUsage: true })
      const frames = parsed(framesOf(answer))
      const patched = frames.map((frame) => {
        const before = JSON.stringify(frame.json)
        const { action, data, usageCarrier } = patcher.push(frame)
        expect(JSON.stringify(frame.json)).toBe(before)
        if (usageCarrier !== undefined) expect(action).toBe("last")
        return { action, data }
      })
      expect(patched.map(({ action }) => action).filter((action) => action === "last").length).toBe(
        1,
      )
      expect(patched.at(-1)?.action).toBe("last")
      for (const [index, { data }] of patched.entries()) {
        const { response, ...rest } = JSON.parse(data)
        const { response: vendors, ...vendorsRest } = JSON.parse(frames[index]?.data ?? "")
        expect(rest).toEqual(vendorsRest)
        if (!isJsonObject(vendors)) continue
        expect(response.model).toBe("vendor/model")
        expect(response.output).toEqual(vendors.output)
      }
    })
  }
})

test.skipIf(!HAS_FIXTURES)(
  "the official client reads the recorded result from a recorded Responses stream",
  async () => {
    const [first] = streamed
    if (first === undefined) throw new Error("no stream was recorded")
    const response = await readWireByClient(first.response)
    expect(readResponse(response as unknown as JsonObject)).toEqual(
      readResponse(lastResponse(framesOf(first.response))),
    )
  },
)
