import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import { receiptOf } from "./checks.ts"
import {
  askStream,
  type CallerFormat,
  type CallerResponse,
  CALLER_FORMATS,
} from "./caller-formats.ts"
import { eventsOf } from "./read-stream.ts"
import { list, object, readAnyResponse } from "./reading.ts"
import { type ReplayGateway, type Staged, startReplayGateway } from "./replay-gateway.ts"
import { stagedResponse } from "./stage-vendor-responses.ts"
import type { VendorResponse } from "./vendor-responses.ts"
import {
  DONE,
  type Ending,
  streamOf,
  USAGES,
  VENDORS,
  type WrittenEvent,
  writtenResponse,
} from "./written-responses.ts"

/**
 * All dialects. The unusual streams of docs/contribute/wire that vendors with a dialect other than the caller's send
 * are requested in each dialect.
 */

const DIALECTS = Object.keys(VENDORS) as DialectId[]

const STOPS: Readonly<Record<DialectId, Ending>> = {
  "openai-chat": { word: "stop", usage: USAGES["openai-chat"] },
  "openai-responses": { word: "completed", usage: USAGES["openai-responses"] },
  "anthropic-messages": { word: "end_turn", usage: USAGES["anthropic-messages"] },
  gemini: { word: "STOP", usage: USAGES.gemini },
  "bedrock-converse": { word: "end_turn", usage: USAGES["bedrock-converse"] },
  "cohere-chat": { word: "COMPLETE", usage: USAGES["cohere-chat"] },
}

function plain(dialect: DialectId): VendorResponse {
  return writtenResponse(`plain ${dialect}`, dialect, STOPS[dialect], true)
}

/** Returns the stream of two calls from the golden responses, as its vendor sends it. */
function twoCalls(dialect: DialectId): VendorResponse {
  const file = `../golden/answers/reasoning-and-two-calls/${dialect}.sse`
  const text = readFileSync(new URL(file, import.meta.url), "utf8")
  const known = { dialect, vendor: VENDORS[dialect], status: 200, isStream: true }
  const response = { ...known, id: `two calls of ${dialect}` }
  const headers = { "content-type": "text/event-stream" }
  if (dialect !== "bedrock-converse") return { ...response, headers, body: text }
  const events = eventsOf(text).map(({ event = "", data }): WrittenEvent => [
    event,
    JSON.parse(data) as JsonObject,
  ])
  return { ...response, ...streamOf(dialect, events) }
}

/** A simple stream with another framing (docs/contribute/wire/README.md#f1). */
interface Framing {
  readonly name: string
  readonly dialect: DialectId
  /**
   * Returns the changed text.
   * @param text the text of a simple stream.
   */
  change(text: string): string
}

const KEEP_ALIVE = 'data: {"type":"keepalive"}\n\n'

const FRAMINGS: readonly Framing[] = [
  ...DIALECTS.filter((dialect) => dialect !== "bedrock-converse").flatMap((dialect) => [
    { name: "CRLF", dialect, change: (text: string) => text.replaceAll("\n", "\r\n") },
    {
      name: "comments",
      dialect,
      change: (text: string) => `: PROCESSING\n\n${text.replaceAll("\n\n", "\n: x\n\n:\n\n")}`,
    },
    {
      name: "no empty line after the last frame",
      dialect,
      change: (text: string) => text.trimEnd(),
    },
  ]),
  ...(["openai-responses", "anthropic-messages", "cohere-chat"] as const).flatMap((dialect) => [
    {
      name: "data before event",
      dialect,
      change: (text: string) => text.replaceAll(/^(event: .*)\n(data: .*)$/gm, "$2\n$1"),
    },
    {
      name: "no event lines",
      dialect,
      change: (text: string) => text.replaceAll(/^event: .*\n/gm, ""),
    },
  ]),
  {
    name: "[DONE] from a vendor that should not send it",
    dialect: "openai-responses",
    change: (text) => text + DONE,
  },
  {
    name: "keep-alives between the events",
    dialect: "openai-responses",
    change: (text) => text.replace("event: response.output_item.added", `${KEEP_ALIVE}$&`),
  },
  {
    name: "padding after the JSON",
    dialect: "anthropic-messages",
    change: (text) => text.replaceAll("}\n\n", "}      \n\n"),
  },
  {
    name: "a second message_start",
    dialect: "anthropic-messages",
    change: (text) => text.replace(/event: message_start\n.*\n\n/, "$&$&"),
  },
  {
    name: "unknown events and members",
    dialect: "anthropic-messages",
    change: (text) =>
      text
        .replace("event: ping", 'event: news\ndata: {"type":"news","of":[1]}\n\nevent: ping')
        .replaceAll('"type":', '"unheard_of":{"a":1},"type":'),
  },
]

function framed({ name, dialect, change }: Framing): VendorResponse {
  const response = plain(dialect)
  return { ...response, id: `${dialect}: ${name}`, body: change(String(response.body)) }
}

/** Positions of signatures in recordings of Gemini (docs/contribute/wire/gemini.md#f7). */
const AT_THE_END = "on an empty text at the end"

const SIGNED: Readonly<Record<string, readonly JsonValue[]>> = {
  "on the first of two calls": [
    { functionCall: { name: "weather", args: { city: "Rome" } }, thoughtSignature: "c2lnbmVk" },
    { functionCall: { name: "clock", args: {} } },
  ],
  [AT_THE_END]: [{ text: "Hi" }, { text: "", thoughtSignature: "c2lnbmVk" }],
}

function geminiTurn(name: string, parts: readonly JsonValue[]): VendorResponse {
  const response = {
    candidates: [{ index: 0, content: { role: "model", parts: [...parts] }, finishReason: "STOP" }],
    usageMetadata: USAGES.gemini,
  }
  const { headers, body } = streamOf("gemini", [["", response]])
  const known = { dialect: "gemini", vendor: "google", status: 200, isStream: true } as const
  return { ...known, id: `signed ${name}`, headers, body }
}

/** OpenAI's models for the requested fields. A model that does not reason rejects a request to return reasoning. */
const MODELS: Readonly<Record<string, readonly string[] | undefined>> = {
  "gpt-5.1": ["reasoning.encrypted_content"],
  "o4-mini": ["reasoning.encrypted_content"],
  "gpt-4.1": undefined,
  "gpt-4o-mini": undefined,
  "gpt-5-chat-latest": undefined,
}

const NAMED = Object.keys(MODELS).map((id) => ({ ...plain("openai-responses"), id }))

const PLAIN = DIALECTS.map(plain)
const CALLS = DIALECTS.map(twoCalls)
const FRAMED = FRAMINGS.map(framed)
const TURNS = Object.entries(SIGNED).map(([name, parts]) => geminiTurn(name, parts))

let replaying: ReplayGateway

beforeAll(async () => {
  const staged: Staged[] = [...PLAIN, ...TURNS, ...NAMED].map((response) =>
    stagedResponse(response),
  )
  for (const [index, response] of [...CALLS, ...FRAMED].entries()) {
    staged.push(stagedResponse(response, 1 + index))
  }
  replaying = await startReplayGateway(staged)
})

afterAll(() => replaying[Symbol.asyncDispose]())

function ask(
  callerFormat: CallerFormat,
  id: string,
  more: JsonObject = {},
): Promise<CallerResponse> {
  const { gateway, caller } = replaying
  const tools = id.includes("call") ? ["weather", "clock"] : []
  const request = { ...callerFormat.request(replaying.modelOf(id), tools), ...more }
  return askStream(callerFormat, { url: gateway.url, key: caller.key }, request)
}

function chunksOf({ text }: CallerResponse): JsonObject[] {
  return eventsOf(text)
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data) as JsonObject)
}

const [CHAT, MESSAGES, RESPONSES] = CALLER_FORMATS

describe("unnamed events, which official clients ignore", () => {
  for (const { id } of PLAIN) {
    for (const callerFormat of [MESSAGES, RESPONSES]) {
      test(`never occur for ${id} through ${callerFormat.path}`, async () => {
        const { text } = await ask(callerFormat, id)
        for (const { event, data } of eventsOf(text)) expect(JSON.parse(data).type).toBe(event)
      })
    }
    test(`never occur for ${id} through ${CHAT.path}, where chunks also have no member 'error'`, async () => {
      const response = await ask(CHAT, id)
      expect(response.text).not.toContain("event:")
      for (const chunk of chunksOf(response)) expect(chunk).not.toHaveProperty("error")
    })
  }
})

describe("a response with two calls, the second without arguments", () => {
  for (const { id } of CALLS) {
    for (const callerFormat of CALLER_FORMATS) {
      test(`reaches the caller with both calls: ${id} through ${callerFormat.path}`, async () => {
        const { body, failure } = await ask(callerFormat, id)
        expect(failure).toBeUndefined()
        expect(readAnyResponse(callerFormat.dialect, body).calls).toEqual([
          [
            { name: "weather", input: { city: "Rome" } },
            { name: "clock", input: {} },
          ],
        ])
      })
    }

    test(`names each call once in a chat, and has its arguments: ${id}`, async () => {
      const deltas = chunksOf(await ask(CHAT, id))
        .flatMap(({ choices }) => list(choices))
        .flatMap(({ delta }) => list(object(delta).tool_calls))
      const firsts = deltas.filter((delta) => "id" in delta)
      expect(firsts.map(({ index, type }) => ({ index, type }))).toEqual([
        { index: 0, type: "function" },
        { index: 1, type: "function" },
      ])
      for (const delta of deltas) {
        const isFirst = firsts.includes(delta)
        const members = isFirst ? ["index", "id", "type", "function"] : ["index", "function"]
        expect(Object.keys(delta).toSorted()).toEqual(members.toSorted())
        expect("name" in object(delta.function)).toBe(isFirst)
      }
    })
  }
})

describe("usage in vendors' streams", () => {
  const id = "plain openai-chat"
  for (const callerFormat of CALLER_FORMATS) {
    test(`appears even if the caller does not request it, through ${callerFormat.path}`, async () => {
      await ask(callerFormat, id)
      const { body } = replaying.vendor.requestFor(id)
      expect(body.stream_options).toEqual({ include_usage: true })
    })
  }

  for (const dialect of DIALECTS) {
    test(`appears in the last chunk, with null in earlier chunks: ${dialect}`, async () => {
      const chunks = chunksOf(await ask(CHAT, `plain ${dialect}`))
      const last = chunks.pop()
      expect(last).toMatchObject({ choices: [], usage: { prompt_tokens: 20, total_tokens: 25 } })
      // If the vendor has the caller's own dialect, its text stays unchanged.
      const absent = dialect === "openai-chat" ? undefined : null
      for (const chunk of chunks) expect(chunk.usage).toBe(absent as null)
    })

    test(`does not appear if the caller does not request it, but is charged: ${dialect}`, async () => {
      const { caller } = replaying
      const request = CHAT.request(replaying.modelOf(`plain ${dialect}`), [])
      const response = await caller.post(CHAT.path, { ...request, stream: true })
      const text = await response.text()
      expect(text).not.toContain('"usage"')
      expect(text).toEndWith(DONE)
      const receipt = await receiptOf(caller, response.headers.get("x-request-id") ?? "")
      expect(receipt).toMatchObject({ estimated: false, usage: { input: 20, output: 5 } })
    })
  }
})

describe("recorded Gemini signatures", () => {
  for (const [name, parts] of Object.entries(SIGNED)) {
    for (const callerFormat of CALLER_FORMATS) {
      test(`keep their position when they are sent back: ${name}, through ${callerFormat.path}`, async () => {
        const id = `signed ${name}`
        const { body } = await ask(callerFormat, id)
        const next = await ask(callerFormat, id, nextTurn(callerFormat, body))
        expect(next.failure).toBeUndefined()
        const contents = list(replaying.vendor.requestFor(id).body.contents)
        const turn = list(contents.find(({ role }) => role === "model")?.parts)
        // Claude Code would treat a response that ends with a block of empty thinking as an empty response.
        const isUntold = name === AT_THE_END && callerFormat.dialect === "anthropic-messages"
        const told = isUntold ? parts.slice(0, -1) : parts
        expect(turn.map(withoutCallId)).toEqual(told.map((part) => object(part)))
      })
    }
  }
})

/**
 * Returns a request that continues the conversation with a response, as official clients create it from the parts of
 * the response.
 */
function nextTurn(callerFormat: CallerFormat, body: JsonObject): JsonObject {
  const question = { role: "user", content: "Hello" }
  const again = { role: "user", content: "Go on." }
  switch (callerFormat.dialect) {
    case "openai-chat": {
      const message = object(list(body.choices)[0]?.message)
      const results = list(message.tool_calls).map(({ id }) => ({
        role: "tool",
        tool_call_id: id,
        content: "fine",
      }))
      return { messages: [question, message, ...(results.length > 0 ? results : [again])] }
    }
    case "gemini": {
      const [{ content } = {}] = list(body.candidates)
      const calls = list(object(content).parts).flatMap(({ functionCall }) => functionCall ?? [])
      const results = calls.map((call) => {
        const { id, name } = object(call)
        return { functionResponse: { id, name, response: { output: "fine" } } }
      })
      const parts = results.length > 0 ? results : [{ text: "Go on." }]
      const hello = { role: "user", parts: [{ text: "Hello" }] }
      return { contents: [hello, object(content), { role: "user", parts }] } as JsonObject
    }
    case "anthropic-messages": {
      const content = list(body.content)
      const calls = content.filter(({ type }) => type === "tool_use")
      const results = calls.map(({ id }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: "fine",
      }))
      const turn = { role: "assistant", content }
      return {
        messages: [question, turn, results.length > 0 ? { role: "user", content: results } : again],
      }
    }
    default: {
      const output = list(body.output)
      const calls = output.filter(({ type }) => type === "function_call")
      const results = calls.map(({ call_id: id }) => ({
        type: "function_call_output",
        call_id: id,
        output: "fine",
      }))
      return { input: [question, ...output, ...(results.length > 0 ? results : [again])] }
    }
  }
}

function withoutCallId(part: JsonObject): JsonObject {
  const { functionCall: call } = part
  if (call === undefined) return part
  const { id: _, ...rest } = object(call)
  return { ...part, functionCall: rest }
}

describe("encrypted reasoning", () => {
  for (const [id, include] of Object.entries(MODELS)) {
    test(`appears only in requests to models that reason: ${id}`, async () => {
      await ask(CHAT, id)
      expect(replaying.vendor.requestFor(id).body.include).toEqual(include as string[])
    })
  }
})

describe("an unusual recorded stream", () => {
  for (const { id } of FRAMED) {
    for (const callerFormat of CALLER_FORMATS) {
      test(`contains its text: ${id}, through ${callerFormat.path}`, async () => {
        const { body, failure } = await ask(callerFormat, id)
        expect(failure).toBeUndefined()
        expect(readAnyResponse(callerFormat.dialect, body).texts).toEqual(["Hi"])
      })
    }
  }
})
