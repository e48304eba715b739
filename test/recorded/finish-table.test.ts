import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import {
  addressOf,
  askStream,
  askWhole,
  type CallerFormat,
  CALLER_FORMATS,
} from "./caller-formats.ts"
import { list, object, readAnyResponse } from "./reading.ts"
import { type ReplayGateway, startReplayGateway } from "./replay-gateway.ts"
import { stagedResponse } from "./stage-vendor-responses.ts"
import { type Ending, USAGES, writtenResponse } from "./written-responses.ts"
import { sampleCombinations, sampleOf } from "../support/exhaustive.ts"

/**
 * A row of the table of finish reasons in docs/contribute/wire/README.md#f5. It contains the reason that callers with
 * each dialect receive.
 */
interface Row {
  readonly chat: string
  readonly messages: string
  /** The status. If the response is incomplete, a colon and the reason follow. */
  readonly responses: string
  /** The reason that Google's callers receive. A vendor's own reason stays if it is also one of Google's. */
  readonly google: string
}

const ENDED: Row = { chat: "stop", messages: "end_turn", responses: "completed", google: "STOP" }
const LIMITED: Row = {
  chat: "length",
  messages: "max_tokens",
  responses: "incomplete:max_output_tokens",
  google: "MAX_TOKENS",
}
const OVERFULL: Row = { ...LIMITED, messages: "model_context_window_exceeded" }
const STOPPED: Row = { ...ENDED, messages: "stop_sequence" }
const CALLED: Row = {
  chat: "tool_calls",
  messages: "tool_use",
  responses: "completed",
  google: "STOP",
}
const FILTERED: Row = {
  chat: "content_filter",
  messages: "refusal",
  responses: "incomplete:content_filter",
  google: "SAFETY",
}
const UNKNOWN: Row = { ...ENDED, google: "OTHER" }
const PAUSED: Row = { ...ENDED, messages: "pause_turn" }

interface Case extends Omit<Ending, "usage"> {
  readonly row: Row
}

const CALL = { isCall: true, row: CALLED } as const
const END = { stopSequence: "END", row: STOPPED } as const

const CASES: Readonly<Record<DialectId, readonly Case[]>> = {
  "openai-chat": [
    { word: "stop", row: ENDED },
    { word: "length", row: LIMITED },
    { word: "content_filter", row: FILTERED },
    { word: "tool_calls", ...CALL },
    // Terms of Mistral.
    { word: "model_length", row: LIMITED },
    { word: "strange", row: UNKNOWN },
    { word: "model_context_window_exceeded", row: OVERFULL },
    // A term of Z.ai.
    { word: "sensitive", row: FILTERED },
  ],
  "openai-responses": [
    { word: "completed", row: ENDED },
    { word: "incomplete:max_output_tokens", row: LIMITED },
    { word: "incomplete:content_filter", row: FILTERED },
    { word: "completed", ...CALL },
  ],
  "anthropic-messages": [
    { word: "end_turn", row: ENDED },
    { word: "max_tokens", row: LIMITED },
    { word: "stop_sequence", ...END },
    { word: "tool_use", ...CALL },
    { word: "pause_turn", row: PAUSED },
    { word: "refusal", row: FILTERED },
    { word: "model_context_window_exceeded", row: OVERFULL },
  ],
  gemini: [
    { word: "STOP", row: ENDED },
    { word: "STOP", ...CALL },
    { word: "UNEXPECTED_TOOL_CALL", ...CALL },
    { word: "MAX_TOKENS", row: LIMITED },
    ...[
      "SAFETY",
      "RECITATION",
      "BLOCKLIST",
      "PROHIBITED_CONTENT",
      "SPII",
      "IMAGE_SAFETY",
      "LANGUAGE",
    ].map((word) => ({ word, row: FILTERED })),
    { word: "NO_IMAGE", row: ENDED },
  ],
  "bedrock-converse": [
    { word: "end_turn", row: ENDED },
    { word: "max_tokens", row: LIMITED },
    { word: "stop_sequence", ...END },
    { word: "tool_use", ...CALL },
    { word: "guardrail_intervened", row: FILTERED },
    { word: "content_filtered", row: FILTERED },
    { word: "model_context_window_exceeded", row: OVERFULL },
  ],
  "cohere-chat": [
    { word: "COMPLETE", row: ENDED },
    { word: "MAX_TOKENS", row: LIMITED },
    { word: "STOP_SEQUENCE", ...END },
    { word: "TOOL_CALL", ...CALL },
  ],
}

/** Finish reasons of a generation that failed. No caller receives such a response as a success. */
const FAILED: Readonly<Record<DialectId, readonly string[]>> = {
  "openai-chat": [
    "error",
    "network_error",
    "insufficient_system_resource",
    "abort",
    "malformed_function_call",
  ],
  "openai-responses": ["cancelled"],
  "anthropic-messages": ["error"],
  gemini: ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER"],
  "bedrock-converse": ["malformed_model_output", "malformed_tool_use"],
  "cohere-chat": ["ERROR", "TIMEOUT"],
}

const dialects = Object.keys(CASES) as DialectId[]
const WAYS = ["whole", "streamed"] as const

function idOf(dialect: DialectId, { word, isCall }: Case, way: string): string {
  return `${dialect} ${word}${isCall ? " with a call" : ""}, ${way}`
}

function failedId(dialect: DialectId, word: string, way: string): string {
  return `${dialect} failed by ${word}, ${way}`
}

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway([
    ...dialects.flatMap((dialect) =>
      FAILED[dialect].flatMap((word) =>
        WAYS.map((way) => {
          const ending = { word, usage: USAGES[dialect] }
          const id = failedId(dialect, word, way)
          return stagedResponse(writtenResponse(id, dialect, ending, way === "streamed"))
        }),
      ),
    ),
    ...dialects.flatMap((dialect) =>
      CASES[dialect].flatMap((each) =>
        WAYS.map((way) => {
          const ending = { ...each, usage: USAGES[dialect] }
          const id = idOf(dialect, each, way)
          return stagedResponse(writtenResponse(id, dialect, ending, way === "streamed"))
        }),
      ),
    ),
  ])
})

afterAll(() => replaying[Symbol.asyncDispose]())

/** Returns a request with one stop string, if the dialect supports stop strings. */
function asked(callerFormat: CallerFormat, id: string, isCall: boolean | undefined): JsonObject {
  const request = callerFormat.request(replaying.modelOf(id), isCall ? ["clock"] : [])
  if (callerFormat.dialect === "openai-chat") return { ...request, stop: "END" }
  if (callerFormat.dialect === "gemini") {
    return { ...request, generationConfig: { stopSequences: ["END"] } }
  }
  return callerFormat.dialect === "anthropic-messages"
    ? { ...request, stop_sequences: ["END"] }
    : request
}

/** Returns the finish reason of a response in the form of the table. */
function endOf(callerFormat: CallerFormat, body: JsonObject): string {
  switch (callerFormat.dialect) {
    case "openai-chat":
      return String(list(body.choices)[0]?.finish_reason)
    case "gemini":
      return String(list(body.candidates)[0]?.finishReason)
    case "anthropic-messages":
      return String(body.stop_reason)
    default: {
      const { reason } = object(body.incomplete_details)
      return reason === undefined ? String(body.status) : `${String(body.status)}:${String(reason)}`
    }
  }
}

function expectedEnd(callerFormat: CallerFormat, dialect: DialectId, { row, word }: Case): string {
  if (callerFormat.dialect === "openai-chat") return row.chat
  if (callerFormat.dialect === "gemini") return dialect === "gemini" ? word : row.google
  return callerFormat.dialect === "anthropic-messages" ? row.messages : row.responses
}

for (const dialect of dialects) {
  describe(`the finish reason of a response in ${dialect}`, () => {
    for (const [each, way, callerFormat] of sampleCombinations(
      2,
      CASES[dialect],
      WAYS,
      CALLER_FORMATS,
    )) {
      const id = idOf(dialect, each, way)
      test(`matches the table for ${id}, through ${callerFormat.path}`, async () => {
        const { gateway, caller } = replaying
        const door = { url: gateway.url, key: caller.key }
        const ask = way === "whole" ? askWhole : askStream
        const response = await ask(callerFormat, door, asked(callerFormat, id, each.isCall))
        expect(response.failure).toBeUndefined()
        expect(endOf(callerFormat, response.body)).toBe(expectedEnd(callerFormat, dialect, each))
        const { texts, calls } = readAnyResponse(callerFormat.dialect, response.body)
        expect(texts).toEqual([each.isCall ? "" : "Hi"])
        expect(calls).toEqual([each.isCall ? [{ name: "clock", input: {} }] : []])
        if (callerFormat.dialect !== "anthropic-messages") return
        expect(response.body.stop_sequence).toBe(each.stopSequence ?? null)
      })
    }
  })
}

for (const dialect of dialects) {
  describe(`failed generations in ${dialect}`, () => {
    for (const [index, word] of FAILED[dialect].entries()) {
      for (const callerFormat of sampleOf(CALLER_FORMATS, 2, index)) {
        test(`return an error without a charge after ${word}, whole, through ${callerFormat.path}`, async () => {
          const { caller } = replaying
          const request = callerFormat.request(
            replaying.modelOf(failedId(dialect, word, "whole")),
            [],
          )
          const before = await caller.balance()
          const response = await caller.post(addressOf(callerFormat, request), request)
          expect([response.status, await response.text()]).toEqual([
            502,
            expect.stringContaining("upstream_error"),
          ])
          expect(await caller.balance()).toBe(before)
        })

        test(`end a stream with an error after ${word}, through ${callerFormat.path}`, async () => {
          const { caller } = replaying
          const model = replaying.modelOf(failedId(dialect, word, "streamed"))
          const request = { ...callerFormat.request(model, []), stream: true }
          const response = await caller.post(addressOf(callerFormat, request), request)
          const text = await response.text()
          expect(text).toContain("upstream_error")
          // The delivered part is charged, and the response never ends like a complete response.
          if (response.status !== 200) expect(response.status).toBe(502)
          expect(text).not.toMatch(/\[DONE\]|"stop_reason":"end_turn"|response\.completed/)
        })
      }
    }
  })
}
