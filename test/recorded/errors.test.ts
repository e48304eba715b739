import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import type { Replay } from "../support/replaying-vendor.ts"
import { chatRecordings, HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { CHAT, receiptOf } from "./checks.ts"
import { type ReplayGateway, staged, startReplayGateway } from "./replay-gateway.ts"
import { until } from "../support/until.ts"

/** Matches requests that the gateway rejects before the vendor receives them. */
const REJECTED_HERE =
  /malformed-data-uri|invalid-temperature|malformed-request-field|custom-llm-within-crew/

const failed = chatRecordings().filter(({ status }) => status !== 200)
const recordings = failed.filter(({ id }) => !REJECTED_HERE.test(id))

/** A row of the error table: the caller's error for a status of the vendor. */
interface Row {
  readonly status: number
  readonly code: string
  readonly retry: boolean
}

const FAILED: Row = { status: 502, code: "upstream_error", retry: true }
const OVERLOADED: Row = { status: 503, code: "upstream_overloaded", retry: true }
const TIMED_OUT: Row = { status: 504, code: "upstream_timeout", retry: true }

/** The rows by status. Undefined: the vendor's own message is passed on. */
const TABLE: Readonly<Record<number, Row | undefined>> = {
  302: FAILED,
  400: undefined,
  401: FAILED,
  402: FAILED,
  403: FAILED,
  404: FAILED,
  408: TIMED_OUT,
  413: undefined,
  422: undefined,
  429: OVERLOADED,
  500: FAILED,
  502: FAILED,
  503: OVERLOADED,
  504: TIMED_OUT,
  529: OVERLOADED,
}

const VENDORS_WORDS = "The vendor's words, sk-vendor-secret"
const VENDORS_ERROR = {
  error: { message: VENDORS_WORDS, type: "vendor_type", param: "messages", code: "vendor_code" },
}

/** One response for each status of the table. */
const written = Object.keys(TABLE).map((status) => ({
  id: `a vendor's ${status}`,
  provider: "written",
  vendor: "openai-compatible",
  replay: errorReplay(Number(status), VENDORS_ERROR),
}))

/** Rejections of the operator's credential that have the form of another error. */
const disguised = [
  errorReplay(400, { error: { message: "Incorrect API key provided: sk-vendor-secret." } }),
  errorReplay(400, { code: "invalid-argument", error: "Incorrect API key: sk-vendor-secret" }),
  errorReplay(429, { error: { message: VENDORS_WORDS, code: "insufficient_quota" } }),
].map((replay, index) => ({
  id: `disguised ${index}`,
  provider: "disguised",
  vendor: "openai-compatible",
  replay,
}))

/** Waiting times in the vendors' forms, and the whole seconds that the caller receives. */
const WAITS = [
  { headers: { "retry-after": "1", "retry-after-ms": "0" }, seconds: "1" },
  { headers: { "retry-after-ms": "1200" }, seconds: "2" },
  { headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, seconds: "1" },
  { headers: { "retry-after": "soon" }, seconds: "5" },
].map(({ headers, seconds }) => ({
  id: JSON.stringify(headers),
  provider: "waits",
  vendor: "openai-compatible",
  replay: { status: 429, headers, body: "{}" },
  seconds,
}))

function errorReplay(status: number, body: JsonObject): Replay {
  return {
    status,
    headers: { "content-type": "application/json", "retry-after": "7", "x-vendor": "secret" },
    body: JSON.stringify(body),
  }
}

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway([
    ...recordings.map(staged),
    ...written,
    ...disguised,
    ...WAITS,
  ])
})

afterAll(() => replaying[Symbol.asyncDispose]())

interface ReceivedError {
  readonly response: Response
  readonly text: string
  readonly error: JsonObject
}

const HELLO: JsonObject = { messages: [{ role: "user", content: "Hello" }] }

/** Asserts an error without a charge and without a remaining hold. */
async function fail(id: string, request: JsonObject): Promise<ReceivedError> {
  const { caller } = replaying
  const before = await caller.balance()
  const response = await caller.post(CHAT, { ...request, model: replaying.modelOf(id) })
  const text = await response.text()
  const { error } = JSON.parse(text) as { error: JsonObject }
  const requestId = response.headers.get("x-request-id") ?? ""
  expect(requestId).toStartWith("req_")
  expect(error.request_id).toBe(requestId)
  await until(async () => (await caller.get(`/v1/receipts/${requestId}`)).status === 200)
  const receipt = await receiptOf(caller, requestId)
  expect(receipt).toMatchObject({ status: "released", charged: "0", usage: null })
  expect(await caller.balance()).toBe(before)
  const credits: unknown = await (await caller.get("/v1/credits")).json()
  expect(credits).toMatchObject({ held: "0" })
  return { response, text, error }
}

function expectRow(received: ReceivedError, row: Row): void {
  const { response, error } = received
  expect(response.status).toBe(row.status)
  expect(error).toMatchObject({ type: "server_error", code: row.code, error_type: row.code })
  expect(response.headers.get("x-should-retry")).toBe(String(row.retry))
  if (row.status === 503) {
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
  }
}

/** Returns the error in a response. Some vendors, such as Mistral, send it without an envelope. */
function vendorsError(body: string): JsonObject {
  const parsed: unknown = body === "" ? {} : JSON.parse(body)
  if (!isJsonObject(parsed)) return {}
  return isJsonObject(parsed.error) ? parsed.error : parsed
}

/** Matches errors with status 400 about a model that the operator's account at the vendor does not have. */
const UNKNOWN_MODEL = /not a valid model id|supported api model names are/i

describe(`recorded errors${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`exist for every vendor${WITHOUT_FIXTURES}`, () => {
    expect(recordings.length).toBeGreaterThan(15)
  })

  for (const { id, status, request, replay } of recordings) {
    test(`have the documented effect on the caller: ${status} ${id}`, async () => {
      const recorded = vendorsError(replay.body)
      const received = await fail(id, request)
      const isUnknownModel = UNKNOWN_MODEL.test(String(recorded.message))
      const row = isUnknownModel ? FAILED : TABLE[status]
      if (row) {
        expectRow(received, row)
        if (recorded.message) expect(received.text).not.toContain(String(recorded.message))
        return
      }
      const { response, error } = received
      expect(response.status).toBe(status)
      expect(error.message).toBe(recorded.message ?? null)
      expect(error.type).toBe(recorded.type ?? null)
      expect(error.param).toBe(recorded.param ?? null)
      const isContextFull = /context-(length-exceeded|overflow)/.test(id)
      const own = recorded.code ?? "rejected_by_upstream"
      expect(error.code).toBe(isContextFull ? "context_length_exceeded" : own)
      expect(error.error_type).toBe("rejected_by_upstream")
      expect(response.headers.get("x-should-retry")).toBe("false")
    })
  }
})

describe(`recorded requests that the gateway rejects${WITHOUT_FIXTURES}`, () => {
  for (const { id, request } of failed.filter(({ id }) => REJECTED_HERE.test(id))) {
    test(`get status 400 without a call or a charge: ${id}`, async () => {
      const before = await replaying.caller.balance()
      const model = replaying.modelOf(recordings[0]?.id ?? "")
      const response = await replaying.caller.post(CHAT, { ...request, model })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } })
      expect(await replaying.caller.balance()).toBe(before)
    })
  }
})

describe("rows of the error table", () => {
  for (const { id, replay } of written) {
    for (const stream of [false, true]) {
      test(`have the documented effect: ${id}${stream ? " to a stream" : ""}`, async () => {
        const received = await fail(id, { ...HELLO, stream })
        const { response, error, text } = received
        const row = TABLE[replay.status]
        expect(response.headers.get("x-vendor")).toBeNull()
        if (row) {
          expectRow(received, row)
          expect(text).not.toContain("sk-vendor-secret")
          if (row === OVERLOADED) expect(response.headers.get("retry-after")).toBe("7")
          return
        }
        expect(response.status).toBe(replay.status)
        expect(error).toMatchObject(VENDORS_ERROR.error)
      })
    }
  }

  for (const { id, seconds } of WAITS) {
    test(`have a retry time of ${seconds} s for ${id}`, async () => {
      const received = await fail(id, HELLO)
      expectRow(received, OVERLOADED)
      expect(received.response.headers.get("retry-after")).toBe(seconds)
    })
  }

  for (const { id } of disguised) {
    test(`hide a rejected operator credential: ${id}`, async () => {
      const received = await fail(id, HELLO)
      expectRow(received, FAILED)
      expect(received.text).not.toContain("sk-vendor-secret")
    })
  }
})
