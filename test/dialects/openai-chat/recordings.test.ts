import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatResult, Choice } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { totalInput, totalOutput, type Usage } from "../../../src/canon/usage.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { OPENAI_CHAT, openAiChat } from "../../../src/dialects/openai-chat/index.ts"
import { ASKED, KEEPING } from "./examples.ts"
import { chatRecordings, framesOf, HAS_FIXTURES, parsedFramesOf, readFixture } from "./fixtures.ts"

/** The content of a recording, read without the decoder. */
interface Reading {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

interface LooseCall {
  readonly index?: number
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content
  // If the request contains a schema, Cloudflare's content is an object.
  if (content && typeof content === "object" && !Array.isArray(content))
    return JSON.stringify(content)
  if (!Array.isArray(content)) return ""
  return content.map((part) => (part.type === "text" ? part.text : "")).join("")
}

function readWhole(response: JsonObject): Reading {
  const choices = response.choices as { message: Record<string, unknown> }[]
  let text = ""
  const calls: { name: string; arguments: string }[] = []
  for (const { message } of choices) {
    text += contentText(message.content)
    for (const call of (message.tool_calls ?? []) as LooseCall[]) {
      calls.push({ name: call.function?.name ?? "", arguments: call.function?.arguments || "{}" })
    }
    const legacy = message.function_call as { name: string; arguments: string } | undefined
    // Snowflake adds a call without a name to every message.
    if (legacy?.name) calls.push({ name: legacy.name, arguments: legacy.arguments })
  }
  return { text, calls }
}

function readStream(text: string): Reading {
  const written: string[] = []
  const calls = new Map<string, { name: string; arguments: string }>()
  for (const line of text.split(/\r?\n/)) {
    const data = line.trim()
    if (!data.startsWith("data:") || data.includes("[DONE]")) continue
    const chunk = JSON.parse(data.slice(5))
    for (const choice of chunk.choices ?? []) {
      written[choice.index] = (written[choice.index] ?? "") + contentText(choice.delta?.content)
      for (const call of (choice.delta?.tool_calls ?? []) as LooseCall[]) {
        const key = `${choice.index} ${call.index}`
        const known = calls.get(key) ?? { name: "", arguments: "" }
        known.name += call.function?.name ?? ""
        known.arguments += call.function?.arguments ?? ""
        calls.set(key, known)
      }
    }
  }
  return { text: written.join(""), calls: [...calls.values()] }
}

function readResult(result: ChatResult): Reading {
  let text = ""
  const calls: { name: string; arguments: string }[] = []
  for (const choice of result.choices) {
    for (const part of choice.parts) {
      if (part.type === "text") text += part.text
      if (part.type === "tool-call") calls.push({ name: part.name, arguments: part.arguments })
    }
  }
  return { text, calls }
}

function withoutRawFinish(choice: Choice): Choice {
  const { rawFinish: _, ...rest } = choice
  return rest
}

function expectConsistent(usage: Usage, reported: JsonObject): void {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = reported
  for (const quantity of Object.values(usage)) expect(quantity).toBeGreaterThanOrEqual(0)
  expect(totalInput(usage)).toBe(Number(prompt))
  expect(totalInput(usage) + totalOutput(usage)).toBe(
    Math.max(Number(total), Number(prompt) + Number(completion)),
  )
  expect(usage.reasoning).toBeLessThanOrEqual(usage.output)
}

function decodeStream(frames: ReturnType<typeof framesOf>): ChatEvent[] {
  const decoder = OPENAI_CHAT.decodeEvents()
  const events = frames.flatMap((frame) => decoder.push(frame))
  events.push(...decoder.end())
  return events
}

function encodeStream(events: readonly ChatEvent[]): SseFrame[] {
  const encoder = OPENAI_CHAT.encodeEvents({ ...ASKED, stream: true, streamUsage: true })
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

function lastUsage(text: string): JsonObject | undefined {
  let usage: JsonObject | undefined
  for (const { json } of parsedFramesOf(text)) {
    const groq = json?.x_groq as JsonObject | undefined
    usage = ((json?.usage ?? groq?.usage) as JsonObject | null | undefined) ?? usage
  }
  return usage
}

const recordings = chatRecordings()
const answered = recordings.filter(({ status }) => status === 200)
const whole = answered.filter(({ response }) => typeof response === "object")
const streamed = answered.filter(({ response }) => typeof response === "string")

test.skipIf(!HAS_FIXTURES)("OpenAI recordings exist in the folder next to the repository", () => {
  expect(whole.length).toBeGreaterThan(100)
  expect(streamed.length).toBeGreaterThan(30)
})

describe("recorded OpenAI requests", () => {
  for (const { file, request, isCut } of answered) {
    if (request === undefined || isCut) continue
    test(`remain unchanged after decoding and encoding: ${file}`, () => {
      const decoded = OPENAI_CHAT.decodeRequest(request)
      expect(decoded.model).toBe(String(request.model))
      expect(decoded.messages.length).toBe((request.messages as unknown[]).length)
      // A decoded request must give the same request when it is encoded and decoded again.
      const keeping = openAiChat(KEEPING)
      const { body } = keeping.encodeRequest(decoded)
      const again = keeping.decodeRequest(body)
      const hasToolImages = decoded.messages.some(
        ({ role, parts }) =>
          role === "tool" &&
          parts.some(
            (part) =>
              part.type === "tool-result" && part.content.some(({ type }) => type !== "text"),
          ),
      )
      if (!hasToolImages) expect(again).toEqual({ ...decoded, streamUsage: decoded.stream })
    })
  }
})

describe("recorded OpenAI responses", () => {
  for (const { file, response } of whole) {
    test(`match an independent decoder: ${file}`, () => {
      const body = response as JsonObject
      const result = OPENAI_CHAT.decodeResult(body)
      const reading = readWhole(body)
      expect(readResult(result)).toEqual(reading)
      if (body.usage) expectConsistent(result.usage!, body.usage as JsonObject)
      const encoded = OPENAI_CHAT.encodeResult(result, ASKED)
      expect(readWhole(encoded)).toEqual(reading)
      // The vendor's own finish reason is not encoded.
      const again = OPENAI_CHAT.decodeResult(encoded)
      expect(again.choices.map(withoutRawFinish)).toEqual(result.choices.map(withoutRawFinish))
    })
  }
})

/** Removes the ids of calls, because calls without an id from the vendor get a new id each time. */
function withoutIds(events: readonly ChatEvent[]): ChatEvent[] {
  return events.map((event) => (event.type === "tool-call-start" ? { ...event, id: "" } : event))
}

describe("recorded OpenAI streams", () => {
  for (const { file, response, vendor } of streamed) {
    test(`decode to the same result for any split of their bytes: ${file}`, () => {
      const text = response as string
      const events = decodeStream(framesOf(text))
      for (const length of [1, 7, 64, 1000]) {
        expect(withoutIds(decodeStream(framesOf(text, length)))).toEqual(withoutIds(events))
      }
      expect(withoutIds(decodeStream(parsedFramesOf(text)))).toEqual(withoutIds(events))
      if (events.some(({ type }) => type === "error")) {
        expect(() => foldEvents(events)).toThrow(GatewayError)
        return
      }
      const result = foldEvents(events)
      const reading = readStream(text)
      const { text: read, calls } = readResult(result)
      expect(read).toBe(reading.text)
      expect(calls).toEqual(
        reading.calls.map((call) => ({ ...call, arguments: call.arguments || "{}" })),
      )
      const usage = lastUsage(text)
      if (usage) expectConsistent(result.usage!, usage)
      else expect(result.usage).toBeUndefined()
      expect(result.id).not.toBe("")
      // Snowflake sends no finish reason at the end of a response.
      if (file.includes("snowflake")) return
      // One recorded server sent no finish reason at the end of a call.
      expect(result.choices.every(({ finish }) => finish !== "other")).toBe(true)
      if (vendor === "azure-openai") expect(result.model).toBeTruthy()
      const again = foldEvents(decodeStream(encodeStream(events)))
      expect(again.choices.map(withoutRawFinish)).toEqual(result.choices.map(withoutRawFinish))
    })
  }
})

describe("recorded OpenAI streams after patching", () => {
  for (const { file, response } of streamed) {
    test(`have one id, and have usage only on request: ${file}`, () => {
      const frames = parsedFramesOf(response as string)
      for (const streamUsage of [true, false]) {
        const ids = new Set<unknown>()
        const vendorsIds = new Set<unknown>()
        let carriers = 0
        let isOver = false
        const sent = []
        const patcher = OPENAI_CHAT.patches.frames({ model: "vendor/model", streamUsage })
        for (const frame of frames) {
          const before = frame.data
          const patched = patcher.push(frame)
          if (frame.json)
            expect(JSON.stringify(frame.json)).toBe(JSON.stringify(JSON.parse(before)))
          if (patched.action === "last") isOver = true
          if (patched.usageCarrier) carriers++
          if (patched.action !== "forward" || frame.json?.error || frame.event === "error") continue
          const chunk = JSON.parse(patched.data)
          ids.add(chunk.id)
          vendorsIds.add(frame.json?.id)
          sent.push({ data: patched.data })
          expect(chunk.model).toBe("vendor/model")
          expect(chunk.id).toStartWith("chatcmpl-")
          if (!streamUsage) expect(chunk).not.toHaveProperty("usage")
        }
        if (decodeStream(frames).some(({ type }) => type === "error")) continue
        expect(isOver).toBe(true)
        sent.push({ data: "[DONE]" })
        expect(ids.size).toBe(vendorsIds.size)
        expect(carriers > 0).toBe(streamUsage && lastUsage(response as string) !== undefined)
        // The caller's response must have the same content as the vendor's.
        const received = foldEvents(decodeStream(sent))
        expect(readResult(received)).toEqual(readResult(foldEvents(decodeStream(frames))))
      }
    })
  }
})

describe("recorded OpenAI streams from the fixtures of other clients", () => {
  const files = HAS_FIXTURES
    ? [
        "deepseek/chat/deepseek-tool-call",
        "deepseek/chat/deepseek-reasoning",
        "openai-compatible/chat/xai-text",
        "openai-compatible/chat/xai-tool-call",
        "openai/chat/openai-text",
        "openai/chat/azure-model-router.1",
        "groq/groq-reasoning",
        "groq/groq-text",
        "groq/groq-tool-call",
        "mistral/mistral-incremental-tool-call",
        "mistral/mistral-reasoning",
        "mistral/mistral-text",
        "mistral/mistral-tool-call",
        "xai/xai-text",
        "xai/xai-tool-call",
        "alibaba/alibaba-reasoning",
        "alibaba/alibaba-text",
        "alibaba/alibaba-tool-call",
        "moonshotai/moonshotai-stream",
        "perplexity/perplexity-citations",
        "perplexity/perplexity-text",
      ]
    : []

  for (const file of files) {
    test(`match an independent decoder: ${file}`, () => {
      const lines = readFixture(`vercel-ai/${file}.chunks.txt`).trim().split("\n")
      const text = `${lines.map((line) => `data: ${line}\n\n`).join("")}data: [DONE]\n\n`
      const result = foldEvents(decodeStream(framesOf(text)))
      const reading = readStream(text)
      expect(readResult(result).text).toBe(reading.text)
      expect(readResult(result).calls).toEqual([...reading.calls])
      expect(result.model).toBeTruthy()
      const usage = lastUsage(text)
      if (usage) expectConsistent(result.usage!, usage)
    })
  }
})
