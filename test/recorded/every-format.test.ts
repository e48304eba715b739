import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { type Receipt, receiptOf } from "./checks.ts"
import {
  askStream,
  askWhole,
  type CallerFormat,
  type CallerResponse,
  CALLER_FORMATS,
} from "./caller-formats.ts"
import { inBatches } from "./in-batches.ts"
import { creditsText, nanocreditsOf, plainCost, shown } from "./plain-price.ts"
import { eventsOf } from "./read-stream.ts"
import { type ReadCall, readAnyResponse, type Reading } from "./reading.ts"
import { type ReplayGateway, startReplayGateway } from "./replay-gateway.ts"
import { stagedResponse } from "./stage-vendor-responses.ts"
import { toldUsage, totals, totalsIn } from "./reported-usage.ts"
import { type VendorResponse, vendorResponses } from "./vendor-responses.ts"
import { type StreamedWhole, wholeOf } from "./whole-of-stream.ts"
import { IS_EXHAUSTIVE, sampleOf } from "../support/exhaustive.ts"
import { until } from "../support/until.ts"

const responses = vendorResponses().filter(({ status }) => status === 200)

/** Number of concurrent requests. */
const AT_ONCE = 16

/** Streams that the official client rejects even if they come directly from the vendor, with the client's error. */
const NOT_ACCEPTED: Readonly<Record<string, string>> = {
  // The stream contains parts of reasoning, which OpenAI does not define.
  "bedrock-mantle/providers-bedrock-mantle-responses-chat-streams-through-the-responses-surface--0 through /v1/responses":
    "Unhandled response stream event",
  // The id of each object differs between events.
  "vercel-ai/openai/responses/github-copilot-id-rotation.1.chunks.txt 0 through /v1/responses":
    "identity changed",
}

/** A stream whose arguments end early. Anthropic's client makes an object of the part that arrived. */
const CUT_ARGUMENTS = "anthropic-sdk/py-incomplete_partial_json_response.txt through /v1/messages"

/**
 * Whether the last event of a stream has no output. The backend of ChatGPT sends such events even after a stream with
 * output. A caller with the same format receives them unchanged.
 */
function isEmptyAtEnd({ body }: VendorResponse, { dialect }: CallerFormat): boolean {
  if (dialect !== "openai-responses" || typeof body !== "string") return false
  const [, end = ""] = body.split("event: response.completed\ndata: ")
  return /"output":\[\]/.test(end) && body.includes("response.output_item.done")
}

/** The result of requesting one response in one dialect. */
interface Outcome {
  readonly response: CallerResponse
  readonly receipt: Receipt
}

/**
 * `npm test` requests every fourth response through one caller format, in rotation. Every other stream arrives in
 * pieces.
 */
const asked = responses.flatMap((response, index) => {
  const round = Math.floor(index / CALLER_FORMATS.length)
  const isAsked = IS_EXHAUSTIVE || (index + Math.floor(round / 2)) % 4 === 0
  const callerFormats = isAsked ? sampleOf(CALLER_FORMATS, CALLER_FORMATS.length, index) : []
  return callerFormats.map((callerFormat) => ({
    response,
    callerFormat,
    isCut: (CALLER_FORMATS.indexOf(callerFormat) + index + round) % 2 === 0,
  }))
})

let replaying: ReplayGateway
/** The balance of the caller's account before all requests, in nanocredits. */
let before = 0n
/**
 * The outcome of each request. The requests run while the tests wait for their outcomes, because all of them together
 * can exceed the time limit of a single test on a busy machine.
 */
const outcomes = new Map(
  asked.map(({ response, callerFormat }) => [
    nameOf(response, callerFormat),
    Promise.withResolvers<Outcome | Error>(),
  ]),
)

beforeAll(async () => {
  replaying = await startReplayGateway(
    responses.flatMap((response, index) => [
      stagedResponse(response),
      { ...stagedResponse(response, 1 + index), id: inChunks(response.id) },
    ]),
  )
  before = await replaying.caller.balance()
  void inBatches(asked, AT_ONCE, async ({ response, callerFormat, isCut }) => {
    const id = response.isStream && isCut ? inChunks(response.id) : response.id
    const outcome = await ask(response, callerFormat, id).catch((error: Error) => error)
    outcomes.get(nameOf(response, callerFormat))?.resolve(outcome)
  })
})

afterAll(() => replaying[Symbol.asyncDispose]())

function inChunks(id: string): string {
  return `${id} in pieces`
}

function nameOf(response: VendorResponse, callerFormat: CallerFormat): string {
  return `${response.id} through ${callerFormat.path}`
}

async function ask(
  response: VendorResponse,
  callerFormat: CallerFormat,
  id: string,
): Promise<Outcome> {
  const { caller, gateway } = replaying
  const { body } = expectedOf(response)
  const tools = readAnyResponse(response.dialect, body).calls.flat()
  const names = [...new Set(tools.map(({ name }) => name))]
  const request = {
    ...callerFormat.request(replaying.modelOf(id), names),
    ...choicesOf(callerFormat, body.choices ?? body.candidates),
  }
  const door = { url: gateway.url, key: caller.key }
  const told = await (response.isStream ? askStream : askWhole)(callerFormat, door, request)
  const requestId = told.headers.get("x-request-id") ?? ""
  // A client that throws has disconnected, and may continue before the receipt is written.
  await until(async () => (await caller.get(`/v1/receipts/${requestId}`)).status === 200)
  return { response: told, receipt: await receiptOf(caller, requestId) }
}

/** Returns the request fields for the recorded number of choices, if the format supports several choices. */
function choicesOf({ dialect }: CallerFormat, recorded: JsonValue | undefined): JsonObject {
  const count = Array.isArray(recorded) ? recorded.length : 1
  if (count < 2) return {}
  if (dialect === "gemini") return { generationConfig: { candidateCount: count } }
  return dialect === "openai-chat" ? { n: count } : {}
}

function expectedOf({ dialect, isStream, body }: VendorResponse): StreamedWhole {
  if (isStream) return wholeOf(dialect, body)
  return { body: JSON.parse(String(body)) as JsonObject, isOver: true }
}

async function expectOutcome(recorded: VendorResponse, callerFormat: CallerFormat): Promise<void> {
  const outcome = await outcomes.get(nameOf(recorded, callerFormat))?.promise
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("not asked")
  const { response, receipt } = outcome
  const { body, error } = expectedOf(recorded)
  const refusal = NOT_ACCEPTED[nameOf(recorded, callerFormat)] ?? error?.message
  if (isUnreadable(recorded, callerFormat)) {
    expect([response.status, receipt.charged]).toEqual([400, "0"])
    return
  }
  expect(response.status).toBe(200)
  if (refusal !== undefined) {
    expect(response.failure?.message).toContain(String(refusal))
    return
  }
  expect(response.failure).toBeUndefined()
  const usage = toldUsage(recorded.dialect, body)
  const heard = readAnyResponse(callerFormat.dialect, response.body)
  const expected = throughFormat(readAnyResponse(recorded.dialect, body), callerFormat)
  if (nameOf(recorded, callerFormat) === CUT_ARGUMENTS) expect(heard.texts).toEqual(expected.texts)
  else if (!isEmptyAtEnd(recorded, callerFormat)) expect(heard).toEqual(expected)
  expect(receipt.status).toBe("settled")
  const isOutputMissing = usage?.output === 0 && expected.texts.some((text) => text !== "")
  expect(receipt.estimated).toBe(usage === undefined || isOutputMissing)
  if (isOutputMissing) {
    expect(receipt.usage?.input).toBe(usage.input)
    expect(receipt.usage?.output).toBeGreaterThan(0)
  } else if (usage !== undefined) {
    expect(receipt.usage).toEqual(shown(usage))
    expect(receipt.charged).toBe(creditsText(plainCost(usage)))
    const told = toldUsage(callerFormat.dialect, response.body)
    // The caller receives the vendor's sums unchanged. They exclude the usage for shortening the conversation. The
    // official client omits the iterations from its result.
    const hasIterations =
      told !== undefined && isJsonObject(body.usage) && "iterations" in body.usage
    if (!hasIterations || callerFormat.dialect !== recorded.dialect) {
      expect(told && totals(told)).toEqual(totalsIn(callerFormat.dialect, usage))
    }
  }
  if (recorded.isStream) expectWellFormed(response.text, callerFormat, recorded)
  else expect(response.headers.get("x-tollgate-cost")).toBe(receipt.charged)
}

/**
 * Whether the response of a model that returns only audio is requested in a format without audio. Such a request is
 * rejected.
 */
function isUnreadable({ id }: VendorResponse, { dialect }: CallerFormat): boolean {
  return dialect === "anthropic-messages" && id.includes("-tts-")
}

/** Returns the part of the content that a caller with this dialect can receive. */
function throughFormat(reading: Reading, { dialect }: CallerFormat): Reading {
  if (dialect === "openai-chat") return reading
  if (dialect === "gemini") return throughGoogle(reading)
  const [text = ""] = reading.texts
  const [refusal = ""] = reading.refusals
  const [calls = []] = reading.calls
  if (dialect === "openai-responses") {
    return { texts: [text], refusals: [refusal], calls: [calls] }
  }
  // A refusal becomes text, and arguments must be an object.
  return { texts: [text + refusal], refusals: [""], calls: [calls.map(withObject)] }
}

/**
 * Returns the content that a caller with Google's dialect receives. A refusal becomes text, and arguments must be an
 * object.
 */
function throughGoogle({ texts, refusals, calls }: Reading): Reading {
  return {
    texts: texts.map((text, index) => text + (refusals[index] ?? "")),
    refusals: texts.map(() => ""),
    calls: calls.map((list) => list.map(withObject)),
  }
}

function withObject({ name, input }: ReadCall): ReadCall {
  return { name, input: isJsonObject(input) ? input : { arguments: input } }
}

/** Checks details that official clients need but do not report: names, numbers and the last event. */
function expectWellFormed(
  text: string,
  callerFormat: CallerFormat,
  recorded: VendorResponse,
): void {
  const events = eventsOf(text)
  if (callerFormat.dialect === "openai-chat") {
    expect(events.at(-1)?.data).toBe("[DONE]")
    expect(events.every(({ event }) => event === undefined)).toBe(true)
    return
  }
  const bodies = events.map(({ data }) => JSON.parse(data) as JsonObject)
  if (callerFormat.dialect === "gemini") {
    expect(events.every(({ event }) => event === undefined)).toBe(true)
    expect(bodies.at(-1)?.usageMetadata).toBeDefined()
    return
  }
  expect(events.map(({ event }) => event)).toEqual(bodies.map(({ type }) => String(type)))
  if (callerFormat.dialect !== "openai-responses" || recorded.dialect === callerFormat.dialect)
    return
  expect(bodies.map(({ sequence_number: number }) => number)).toEqual(
    bodies.map((_, index) => index),
  )
}

describe(`recorded responses in every format${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`exist for every vendor${WITHOUT_FIXTURES}`, () => {
    expect(responses.length).toBeGreaterThan(750)
  })

  for (const { response, callerFormat } of asked) {
    test(`match the recording: ${nameOf(response, callerFormat)}`, () =>
      expectOutcome(response, callerFormat))
  }

  test("cost the sum of their receipts", async () => {
    const ended = await Promise.all([...outcomes.values()].map(({ promise }) => promise))
    const charges = ended.map((outcome) =>
      outcome instanceof Error ? 0n : nanocreditsOf(outcome.receipt.charged),
    )
    const spent = before - (await replaying.caller.balance())
    expect(spent).toBe(charges.reduce((sum, charge) => sum + charge, 0n))
  })
})
