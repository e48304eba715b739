import { expect } from "bun:test"
import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import type { TestCaller } from "../support/gateway.ts"
import { expectedResponse, expectedStream } from "./expected-response.ts"
import { expectedRequest } from "./expected-request.ts"
import { creditsText, plainCost, plainUsage, shown } from "./plain-price.ts"
import { readStream } from "./read-stream.ts"
import type { ReplayGateway } from "./replay-gateway.ts"

export const CHAT = "/v1/chat/completions"

/** The members of a receipt that these tests read. */
export interface Receipt {
  readonly status: string
  readonly usage: Readonly<Record<string, number>> | null
  readonly estimated: boolean
  readonly charged: string
}

export async function receiptOf(caller: TestCaller, requestId: string): Promise<Receipt> {
  const response = await caller.get(`/v1/receipts/${requestId}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Receipt
}

/** A charge with its request. */
export interface Payment {
  readonly requestId: string
  /** The balance before and after the request, in nanocredits. */
  readonly before: bigint
  readonly after: bigint
}

/**
 * Asserts that the balance fell by exactly the price of the vendor's raw usage, as in the receipt. If the vendor
 * reported no usage, the gateway's count is charged and marked as an estimate. @returns the charge in credits.
 */
export async function expectPaid(
  caller: TestCaller,
  payment: Payment,
  raw: JsonObject | undefined,
): Promise<string> {
  const { requestId, before, after } = payment
  const receipt = await receiptOf(caller, requestId)
  expect(receipt.status).toBe("settled")
  expect(receipt.charged).toBe(creditsText(before - after))
  expect(receipt.estimated).toBe(raw === undefined)
  if (raw === undefined) {
    expect(before - after).toBeGreaterThan(0n)
  } else {
    const usage = plainUsage(raw)
    const { search_premium: searches = 0, ...told } = receipt.usage ?? {}
    expect(told).toEqual(shown(usage))
    expect(before - after).toBe(plainCost(usage) + BigInt(searches) * SEARCH)
  }
  return receipt.charged
}

/** The price in nanocredits of a model's built-in search: 25 per 1,000, times the multiplier. */
const SEARCH = 27_500_000n

/** A call through the gateway, and the vendor's response to the call. */
export interface ReplayedCall {
  /** The replay's id. */
  readonly id: string
  readonly vendor: string
  /** The caller's body without its model. */
  readonly request: JsonObject
  /** The body of the vendor's response. */
  readonly recorded: string
}

/**
 * Asserts that a response that is not streamed, and its request, are equal to the recorded ones except for the named
 * patches, and that the charge is exact.
 */
export async function expectWhole(replaying: ReplayGateway, call: ReplayedCall): Promise<void> {
  const { caller } = replaying
  const { id, request } = call
  const model = replaying.modelOf(id)
  const recorded = JSON.parse(call.recorded) as JsonObject

  const before = await caller.balance()
  const response = await caller.post(CHAT, { ...request, model })
  const answer = (await response.json()) as JsonObject
  const after = await caller.balance()

  const expected = expectedResponse(recorded, model)
  if (!isJsonObject(recorded.usage)) expected.usage = expectOwnCount(answer)
  expect(answer).toEqual(expected)
  expect(response.status).toBe(200)
  expect(response.headers.get("x-tollgate-losses")).toBeNull()
  expectAsked(replaying, call, request)

  const requestId = response.headers.get("x-request-id") ?? ""
  const payment = { requestId, before, after }
  const raw = isJsonObject(recorded.usage) ? recorded.usage : undefined
  const charged = await expectPaid(caller, payment, raw)
  expect(response.headers.get("x-tollgate-cost")).toBe(charged)
}

/** Asserts the same for each frame of a stream, and that the stream ends correctly. */
export async function expectStream(
  replaying: ReplayGateway,
  call: ReplayedCall,
  isUsageAsked: boolean,
): Promise<void> {
  const { caller } = replaying
  const { id, recorded } = call
  const model = replaying.modelOf(id)
  const request = withUsageAsked(call.request, isUsageAsked)
  const expected = expectedStream(recorded, model, isUsageAsked)

  const before = await caller.balance()
  const received = await readStream(await caller.post(CHAT, { ...request, model }))
  const after = await caller.balance()

  expect(received.status).toBe(200)
  expect(received.headers.get("x-tollgate-losses")).toBeNull()
  expectAsked(replaying, call, request)
  const payment = { requestId: received.requestId, before, after }
  const charged = await expectPaid(caller, payment, expected.usage)
  const chunks = isUsageAsked ? withCost(expected.chunks, charged) : [...expected.chunks]
  const told = [...received.chunks]
  const isUntold = expected.usage === undefined && expected.error === undefined
  if (isUsageAsked && isUntold) expectOwnCount(told.pop())
  expect(told).toEqual(chunks)
  expect(received.isDone).toBe(expected.error === undefined)
  expect(received.error?.error_type).toBe(expected.error && errorTypeOf(expected.error))
  if (expected.error) {
    expect(String(received.error?.message)).toContain(String(expected.error.message))
  }
}

/**
 * If the vendor reports no usage, the response contains the usage that is charged.
 * @returns the charged usage.
 */
function expectOwnCount(told: JsonObject | undefined): JsonObject {
  const usage = told?.usage
  if (!isJsonObject(usage)) throw new Error("the answer tells no usage")
  expect(Number(usage.total_tokens)).toBeGreaterThan(0)
  return usage
}

function expectAsked(replaying: ReplayGateway, call: ReplayedCall, request: JsonObject): void {
  const { caller, vendor } = replaying
  const asked = vendor.requestFor(call.id)
  expect(asked.path).toBe(CHAT)
  expect(asked.body).toEqual(expectedRequest(request, call.vendor, call.id))
  expect(asked.headers.get("authorization")).toBe("Bearer upstream")
  expect(JSON.stringify([...asked.headers])).not.toContain(caller.key)
}

function withUsageAsked(request: JsonObject, isUsageAsked: boolean): JsonObject {
  const { stream_options: options, ...rest } = request
  const { include_usage: _, ...others } = isJsonObject(options) ? options : {}
  return { ...rest, stream_options: isUsageAsked ? { ...others, include_usage: true } : others }
}

/** Adds the cost as a number to the last usage of a stream. */
function withCost(chunks: readonly JsonObject[], cost: string): JsonObject[] {
  const last = chunks.findLastIndex(({ usage }) => isJsonObject(usage))
  return chunks.map((chunk, index) =>
    index === last && isJsonObject(chunk.usage)
      ? { ...chunk, usage: { ...chunk.usage, cost: Number(cost) } }
      : chunk,
  )
}

/** Returns the error type. If Groq's model cannot write a call, Groq reports a fault in the request. */
function errorTypeOf({ type }: JsonObject): string {
  return type === "invalid_request_error" ? "rejected_by_upstream" : "upstream_error"
}
