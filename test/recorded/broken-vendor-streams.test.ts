import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { exceptionFrame } from "../../simulator/bedrock-converse/event-frame.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { receiptOf } from "./checks.ts"
import {
  addressOf,
  askStream,
  askWhole,
  type CallerFormat,
  type CallerResponse,
  CALLER_FORMATS,
} from "./caller-formats.ts"
import { eventsOf } from "./read-stream.ts"
import { object } from "./reading.ts"
import { type ReplayGateway, startReplayGateway } from "./replay-gateway.ts"
import { stagedResponse } from "./stage-vendor-responses.ts"
import type { VendorResponse } from "./vendor-responses.ts"
import {
  numbered,
  streamOf,
  USAGES,
  VENDORS,
  type WrittenEvent,
  writtenResponse,
} from "./written-responses.ts"
import { sampleOf } from "../support/exhaustive.ts"
import { servedTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"

const WORDS = "The server had an error while processing your request."
/** The message that replaces the provider's own error, which may concern the operator's account. */
const OWN_WORDS = "The provider failed while it answered"

const OVERLOADED = "The provider is overloaded."

/** Events that break a stream after "Hi", in each vendor's format (docs/contribute/wire/README.md#f2). */
interface Break {
  readonly name: string
  readonly dialect: DialectId
  readonly events: readonly WrittenEvent[]
  /** The error message for the caller. */
  readonly words?: string
  /** Whether the events report that the vendor is overloaded. */
  readonly isOverload?: true
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1")
}

const FAILED = { id: "resp_1", object: "response", status: "failed", output: [] }
const FLAT = { type: "error", code: "server_error", message: WORDS, param: null }
const NESTED = { type: "error", error: { type: "server_error", code: "x", message: WORDS } }

const BREAKS: readonly Break[] = [
  {
    name: "an error in a frame",
    dialect: "openai-chat",
    events: [["", { error: { message: WORDS, type: "server_error", param: null, code: null } }]],
    words: OWN_WORDS,
  },
  {
    name: "an error with an integer code in a chunk",
    dialect: "openai-chat",
    events: [["", { id: "chatcmpl-1", choices: [], error: { code: 502, message: WORDS } }]],
    words: OWN_WORDS,
  },
  {
    name: "the error as documented",
    dialect: "openai-responses",
    events: [["error", FLAT]],
    words: OWN_WORDS,
  },
  {
    name: "the error as recorded, and the failed response",
    dialect: "openai-responses",
    events: [
      ["error", NESTED],
      ["response.failed", { type: "response.failed", response: FAILED }],
    ],
    words: OWN_WORDS,
  },
  {
    name: "the failed response alone",
    dialect: "openai-responses",
    events: [
      [
        "response.failed",
        {
          type: "response.failed",
          response: { ...FAILED, error: { code: "server_error", message: WORDS } },
        },
      ],
    ],
    words: OWN_WORDS,
  },
  {
    name: "an event named error",
    dialect: "anthropic-messages",
    events: [
      [
        "error",
        { type: "error", error: { details: null, type: "overloaded_error", message: WORDS } },
      ],
    ],
    words: OVERLOADED,
    isOverload: true,
  },
  {
    name: "an error in place of an answer",
    dialect: "gemini",
    events: [["", { error: { code: 503, message: WORDS, status: "UNAVAILABLE" } }]],
    words: OVERLOADED,
    isOverload: true,
  },
  {
    name: "an exception",
    dialect: "bedrock-converse",
    events: [
      latin1(exceptionFrame("modelStreamErrorException", JSON.stringify({ message: WORDS }))),
    ],
    words: OWN_WORDS,
  },
  {
    name: "the finish reason ERROR",
    dialect: "cohere-chat",
    events: [
      [
        "message-end",
        { type: "message-end", delta: { finish_reason: "ERROR", error: WORDS, usage: {} } },
      ],
    ],
    words: OWN_WORDS,
  },
]

const DIALECTS = Object.keys(VENDORS) as DialectId[]

/** Ways to break a stream that apply to every vendor. */
const CUTS: readonly Break[] = DIALECTS.flatMap((dialect) => [
  { name: "the end of the connection before the final event", dialect, events: [] },
  {
    name: "the end of the connection in the middle of a frame",
    dialect,
    events: [dialect === "bedrock-converse" ? "\0\0\u0001\0" : 'data: {"type'],
  },
  ...(dialect === "bedrock-converse"
    ? [{ name: "an invalid checksum", dialect, events: ["\0\0\0\x10\0\0\0\0wrong\0\0\0\0\0\0\0"] }]
    : [{ name: "a frame with invalid JSON", dialect, events: ["data: {not json}\n\n"] }]),
])

/** Number of events in a simple stream up to the end of "Hi". */
const SAID: Readonly<Record<DialectId, number>> = {
  "openai-chat": 2,
  "openai-responses": 5,
  "anthropic-messages": 4,
  gemini: 1,
  "bedrock-converse": 2,
  "cohere-chat": 3,
}

/**
 * Returns a broken stream.
 * @param spared the number of events to omit before the break.
 */
function broken({ name, dialect, events }: Break, spared = 0): VendorResponse {
  const word = { "openai-responses": "completed", gemini: "STOP" }[String(dialect)] ?? "stop"
  const whole = writtenResponse("", dialect, { word, usage: USAGES[dialect] }, true)
  const beginning = beginningOf(dialect, whole)
  const told = beginning.slice(0, beginning.length - spared)
  const { headers, body } = streamOf(dialect, numbered([...told, ...events]))
  return { ...whole, id: `${dialect}: ${name}${spared > 0 ? UNSAID : ""}`, headers, body }
}

const UNSAID = ", before a word"

function beginningOf(dialect: DialectId, { body }: VendorResponse): readonly WrittenEvent[] {
  if (dialect === "bedrock-converse") return CONVERSE_BEGINNING
  return eventsOf(String(body))
    .slice(0, SAID[dialect])
    .map(({ event = "", data }) => [event, JSON.parse(data) as JsonObject])
}

const CONVERSE_BEGINNING: readonly WrittenEvent[] = [
  ["messageStart", { role: "assistant" }],
  ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }],
]

const MANY = 200

/** Returns a stream that breaks after far more output than the single token that Anthropic reports at the start. */
function longAndBroken(): VendorResponse {
  const whole = broken({ name: "a long answer", dialect: "anthropic-messages", events: [] })
  const delta = { type: "content_block_delta", index: 0 }
  const word: WrittenEvent = [
    "content_block_delta",
    { ...delta, delta: { type: "text_delta", text: "another word " } },
  ]
  const words = Array.from({ length: MANY }, () => word)
  const { body } = streamOf("anthropic-messages", words)
  return { ...whole, body: `${String(whole.body)}${String(body)}` }
}

/** Responses without content. The caller receives an error status, and nothing is charged. */
const PAGES = DIALECTS.flatMap((dialect) =>
  [
    { name: "a page", type: "text/html", body: "<html>Bad gateway</html>" },
    { name: "nothing at all", type: "application/json", body: "" },
    { name: "JSON other than an answer", type: "application/json", body: '{"hello":1}' },
  ].map(({ name, type, body }): VendorResponse => ({
    id: `${dialect}: ${name}`,
    dialect,
    vendor: VENDORS[dialect],
    status: 200,
    headers: { "content-type": type },
    isStream: false,
    body,
  })),
)

const ALL = [...BREAKS, ...CUTS]

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway([
    ...ALL.map((each, index) =>
      stagedResponse(broken(each), index % 2 === 0 ? 1 + index : undefined),
    ),
    ...PAGES.map((answer) => stagedResponse(answer)),
    stagedResponse(longAndBroken()),
    // These responses arrive in a single chunk.
    ...ALL.map((each) => stagedResponse(broken(each, 1))),
  ])
})

afterAll(() => replaying[Symbol.asyncDispose]())

/** Asserts that the stream ends with an error of the caller's own dialect. */
function expectBrokenOff(
  { text }: CallerResponse,
  callerFormat: CallerFormat,
  { requestId, isOverload }: { readonly requestId: string; readonly isOverload?: true | undefined },
): string {
  const error_type = isOverload ? "upstream_overloaded" : "upstream_error"
  const events = eventsOf(text).map(({ event, data }) => ({
    event,
    data: JSON.parse(data) as JsonObject,
  }))
  const last = events.at(-1)
  switch (callerFormat.dialect) {
    case "openai-chat": {
      const error = object(last?.data.error)
      expect(error).toMatchObject({ type: "server_error", error_type })
      expect(error.request_id).toBe(requestId)
      return String(error.message)
    }
    case "gemini": {
      const error = object(last?.data.error)
      expect(error).toMatchObject({
        code: isOverload ? 503 : 502,
        status: "UNAVAILABLE",
        error_type,
      })
      expect(error.request_id).toBe(requestId)
      return String(error.message)
    }
    case "anthropic-messages":
      expect(last?.event).toBe("error")
      expect(events.filter(({ event }) => event === "message_stop")).toEqual([])
      return String(object(last?.data.error).message)
    default: {
      const [told, failed] = events.slice(-2)
      expect(told).toMatchObject({ event: "error", data: { type: "error" } })
      expect(failed).toMatchObject({
        event: "response.failed",
        data: {
          response: {
            status: "failed",
            error: { code: isOverload ? "rate_limit_exceeded" : "server_error" },
          },
        },
      })
      return String(object(object(failed?.data.response).error).message)
    }
  }
}

describe("broken vendor streams in every format", () => {
  for (const [index, each] of ALL.entries()) {
    const id = `${each.dialect}: ${each.name}`
    for (const callerFormat of sampleOf(CALLER_FORMATS, CALLER_FORMATS.length, index)) {
      test(`deliver and charge the part before the break: ${id}, through ${callerFormat.path}`, async () => {
        const { gateway, caller } = replaying
        const request = { ...callerFormat.request(replaying.modelOf(id), []), stream: true }
        const response = await caller.post(addressOf(callerFormat, request), request)
        const text = await response.text()
        expect(response.status).toBe(200)
        const requestId = response.headers.get("x-request-id") ?? ""
        const answer = { status: 200, headers: response.headers, body: {}, text }
        expect(text).toContain('"Hi"')
        const message = expectBrokenOff(answer, callerFormat, {
          requestId,
          isOverload: each.isOverload,
        })
        expect(message).toContain(each.words ?? "")
        // The delivered part must be charged.
        const receipt = await receiptOf(caller, requestId)
        expect(receipt.status).toBe("settled")
        expect(receipt.usage?.output).toBeGreaterThan(0)

        const door = { url: gateway.url, key: caller.key }
        const { failure } = await askStream(
          callerFormat,
          door,
          callerFormat.request(replaying.modelOf(id), []),
        )
        expect(failure?.message).toContain(each.words ?? "")
        expect(failure).toBeInstanceOf(Error)
      })
    }
  }
})

describe("vendor streams that open and break in one chunk, in every format", () => {
  for (const [index, each] of ALL.entries()) {
    const id = `${each.dialect}: ${each.name}${UNSAID}`
    for (const callerFormat of sampleOf(CALLER_FORMATS, CALLER_FORMATS.length, index)) {
      test(`fail without affecting other requests: ${id}, through ${callerFormat.path}`, async () => {
        const { caller } = replaying
        const model = replaying.modelOf(id)
        const request = { ...callerFormat.request(model, []), stream: true }
        const [response, other] = await Promise.all([
          caller.post(addressOf(callerFormat, request), request),
          caller.post(CALLER_FORMATS[0].path, CALLER_FORMATS[0].request("sim/echo", [])),
        ])
        const text = await response.text()
        if (response.status === 200) {
          const answer = { status: 200, headers: response.headers, body: {}, text }
          const requestId = response.headers.get("x-request-id") ?? ""
          expectBrokenOff(answer, callerFormat, { requestId, isOverload: each.isOverload })
        } else {
          expect(response.status).toBeOneOf(each.isOverload ? [503, 529] : [502])
          expect(text).toContain(each.words ?? "upstream_error")
        }
        expect(other.status).toBe(200)
        const healthy = async () => expect((await caller.get("/healthz")).status).toBe(200)
        expect(await servedTime(healthy)).toBeLessThan(2_000)
      })
    }
  }
})

describe("a broken response with many words", () => {
  for (const callerFormat of CALLER_FORMATS) {
    test(`costs as much as its words, through ${callerFormat.path}`, async () => {
      const { id } = longAndBroken()
      const { caller } = replaying
      const request = { ...callerFormat.request(replaying.modelOf(id), []), stream: true }
      const response = await caller.post(addressOf(callerFormat, request), request)
      await response.text()
      const receipt = await receiptOf(caller, response.headers.get("x-request-id") ?? "")
      expect(receipt.usage?.output).toBeGreaterThan(MANY)
    })
  }
})

describe("invalid vendor answers in every format", () => {
  for (const [index, { id }] of PAGES.entries()) {
    for (const callerFormat of sampleOf(CALLER_FORMATS, 2, index)) {
      for (const stream of [false, true]) {
        test(`fail without a charge: ${id}, through ${callerFormat.path}${stream ? ", streamed" : ""}`, async () => {
          const { gateway, caller } = replaying
          const before = await caller.balance()
          const request = { ...callerFormat.request(replaying.modelOf(id), []), stream }
          const door = { url: gateway.url, key: caller.key }
          const { status, headers, body } = await askWhole(callerFormat, door, request)
          expect(status).toBe(502)
          expect(object(body.error).error_type).toBe("upstream_error")
          const requestId = headers.get("x-request-id") ?? ""
          await until(async () => (await caller.get(`/v1/receipts/${requestId}`)).status === 200)
          expect(await receiptOf(caller, requestId)).toMatchObject({ status: "released" })
          expect(await caller.balance()).toBe(before)
        })
      }
    }
  }
})
