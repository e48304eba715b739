import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import {
  askWhole,
  type CallerFormat,
  type CallerResponse,
  CALLER_FORMATS,
} from "./caller-formats.ts"
import { list, object } from "./reading.ts"
import { type ReplayGateway, startReplayGateway } from "./replay-gateway.ts"
import { stagedResponse } from "./stage-vendor-responses.ts"
import { type VendorResponse, vendorResponses } from "./vendor-responses.ts"

const responses = vendorResponses().filter(({ status }) => status !== 200)

/** The caller's error for a vendor's error, according to docs/use/errors.md#errors. */
interface Row {
  readonly status: number
  readonly kind: string
  /** The error type in Anthropic's envelope, and its status if it differs. */
  readonly anthropic: string
  readonly anthropicStatus?: number
  /** The status in Google's envelope. */
  readonly google: string
}

const FAILED: Row = {
  status: 502,
  kind: "upstream_error",
  anthropic: "api_error",
  google: "UNAVAILABLE",
}
const OVERLOADED: Row = {
  status: 503,
  kind: "upstream_overloaded",
  anthropic: "overloaded_error",
  anthropicStatus: 529,
  google: "UNAVAILABLE",
}

/** An error that is the caller's fault. The vendor's message is passed on. */
const REJECTED: Row = {
  status: 400,
  kind: "rejected_by_upstream",
  anthropic: "invalid_request_error",
  google: "INVALID_ARGUMENT",
}

const ROWS: Readonly<Record<number, Row>> = {
  400: REJECTED,
  401: FAILED,
  402: FAILED,
  403: FAILED,
  404: FAILED,
  429: OVERLOADED,
  500: FAILED,
}

/**
 * Matches errors with status 400 that concern the operator: a wrong key (docs/contribute/wire/gemini.md#f12), or an
 * unknown model (docs/contribute/wire/openai-responses.md#f10, docs/contribute/wire/bedrock-converse.md#f8).
 */
const OPERATORS_WORDS =
  /api key not valid|incorrect api key|model identifier is invalid|requested model .* does not exist|not a valid model id|supported api model names are/i

function rowOf(response: VendorResponse): Row {
  const isOperators = OPERATORS_WORDS.test(wordsOf(response))
  const row = isOperators ? FAILED : ROWS[response.status]
  if (row === undefined) throw new Error(`status ${response.status} is in no row`)
  return row
}

/** Returns the vendor's message in any format. */
function wordsOf({ body }: VendorResponse): string {
  if (body === "") return ""
  const parsed = JSON.parse(String(body)) as JsonValue
  const [whole = parsed] = list(parsed)
  const { error, message, Message: capital, detail } = object(whole)
  const told = isJsonObject(error) ? error.message : (error ?? message ?? capital ?? detail)
  return String(told ?? "")
}

let replaying: ReplayGateway
let balance: bigint

beforeAll(async () => {
  replaying = await startReplayGateway(responses.map((response) => stagedResponse(response)))
  balance = await replaying.caller.balance()
})

afterAll(async () => {
  await replaying[Symbol.asyncDispose]()
})

async function ask(
  response: VendorResponse,
  callerFormat: CallerFormat,
  stream: boolean,
): Promise<CallerResponse> {
  const { caller, gateway } = replaying
  const request = { ...callerFormat.request(replaying.modelOf(response.id), []), stream }
  return askWhole(callerFormat, { url: gateway.url, key: caller.key }, request)
}

/** Asserts that the response has the error envelope of the caller's dialect, with the ids that identify the request. */
function expectEnvelope(
  { body, headers }: CallerResponse,
  callerFormat: CallerFormat,
  row: Row,
): JsonObject {
  const error = object(body.error)
  const requestId = headers.get("x-request-id") ?? ""
  expect(requestId).toStartWith("req_")
  expect(headers.get("request-id")).toBe(requestId)
  expect(error.error_type).toBe(row.kind)
  if (callerFormat.dialect === "anthropic-messages") {
    expect(body).toMatchObject({ type: "error", request_id: requestId })
    expect(error.type).toBe(row.anthropic)
  } else if (callerFormat.dialect === "gemini") {
    const { status } = row
    expect(error).toMatchObject({ code: status, status: row.google, request_id: requestId })
  } else {
    expect(error.request_id).toBe(requestId)
    expect(Object.keys(error)).toEqual(expect.arrayContaining(["message", "type", "param", "code"]))
    if (row !== REJECTED) expect(error).toMatchObject({ type: "server_error", code: row.kind })
  }
  expect(headers.get("content-type")).toStartWith("application/json")
  expect(headers.get("x-should-retry")).toBe(String(row !== REJECTED))
  return error
}

/** Whether a vendor's message reports a full context without using Anthropic's words. */
function isContextFull(words: string): boolean {
  return /maximum context length|exceeds the available context|prompt too long/.test(words)
}

function expectError(
  response: CallerResponse,
  callerFormat: CallerFormat,
  recorded: VendorResponse,
): void {
  const row = rowOf(recorded)
  const isAnthropic = callerFormat.dialect === "anthropic-messages"
  expect(response.status).toBe((isAnthropic ? row.anthropicStatus : undefined) ?? row.status)
  const error = expectEnvelope(response, callerFormat, row)
  const words = wordsOf(recorded)
  if (row === REJECTED) {
    // Agents with Anthropic's format shorten a conversation if the error has Anthropic's words for a full context.
    const before = isAnthropic && isContextFull(words) ? "prompt is too long: " : ""
    if (words !== "") expect(error.message).toBe(before + words.trim().slice(0, 2000))
    return
  }
  if (words !== "") expect(response.text).not.toContain(words)
  if (row === OVERLOADED) {
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
  }
}

describe(`recorded errors in every format${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`exist for every vendor${WITHOUT_FIXTURES}`, () => {
    expect(responses.length).toBeGreaterThan(35)
  })

  for (const response of responses) {
    for (const callerFormat of CALLER_FORMATS) {
      for (const stream of [false, true]) {
        const kind = stream ? ", streamed" : ""
        test(`keep their kind: ${response.status} ${response.id} through ${callerFormat.path}${kind}`, async () => {
          expectError(await ask(response, callerFormat, stream), callerFormat, response)
        })
      }
    }
  }

  test.skipIf(!HAS_FIXTURES)(`cause no charge${WITHOUT_FIXTURES}`, async () => {
    expect(await replaying.caller.balance()).toBe(balance)
    const credits: unknown = await (await replaying.caller.get("/v1/credits")).json()
    expect(credits).toMatchObject({ held: "0" })
  })
})
