import type { Exchange } from "./exchange.ts"
import type { Fault } from "./faults.ts"
import { isObject, type JsonObject, stringOf } from "./json.ts"
import { vendorResponse } from "./openai-chat/headers.ts"
import { dueFault, wholeBody } from "./play.ts"
import { bodyOf, type StreamScript, streamSteps } from "./stream.ts"
import { playTransportFault } from "./transport-faults.ts"

/** The form of one vendor's rejections and responses. */
export interface Manner {
  /** Returns the rejection of an invalid credential; undefined if the credential is valid. */
  rejectCredential(exchange: Exchange): Response | undefined
  /** Returns the error response for a fault; undefined if the fault causes no error response. */
  rejectFault(exchange: Exchange, fault: string, model: string): Response | undefined
  /** Returns a rejection of the request itself. */
  reject(exchange: Exchange, message: string): Response
  respond(body: string | ReadableStream): Response
}

/** A response, complete or as OpenAI's events, or a rejection. */
export type Answered =
  | { readonly json: object }
  | { readonly script: StreamScript }
  | { readonly rejected: string }

/** An operation that takes JSON and answers with JSON. */
export interface JsonOperation {
  readonly manner: Manner
  /** The model; absent if the body names it. */
  readonly model?: string
  respond(body: JsonObject, fault: Fault | undefined): Answered
}

/** Answers one call of an operation, and injects its fault. */
export async function answerJson(
  exchange: Exchange,
  operationOf: (body: JsonObject) => JsonOperation,
): Promise<Response> {
  const body = await exchange.readBody()
  const operation = operationOf(isObject(body) ? body : {})
  const { manner } = operation
  const rejected = manner.rejectCredential(exchange)
  if (rejected !== undefined) return rejected
  if (!isObject(body)) return manner.reject(exchange, "The body is not a JSON object.")
  const model = operation.model ?? stringOf(body.model)
  if (model === "") return manner.reject(exchange, "you must provide a model parameter")
  const fault = dueFault(exchange, model, Bun.hash(exchange.bodyText).toString())
  if (fault === "unknown") {
    return manner.reject(exchange, "The simulator knows no fault of the name in x-simulate-fault.")
  }
  if (fault !== undefined) {
    const transport = await playTransportFault(exchange, fault)
    if (transport !== undefined) return transport
    // In a stream, this error is sent as an event.
    const isEvent = fault.name === "stream-error" && body["stream"] === true
    const played = isEvent ? undefined : manner.rejectFault(exchange, fault.name, model)
    if (played !== undefined) return played
  }
  const answered = operation.respond(body, fault)
  if ("rejected" in answered) return manner.reject(exchange, answered.rejected)
  if ("script" in answered) {
    const steps = streamSteps(answered.script, exchange.cadence, fault)
    return vendorResponse(bodyOf(exchange, steps), "stream")
  }
  return manner.respond(wholeBody(exchange, JSON.stringify(answered.json), fault))
}

/** Returns the count that a vendor reports; undefined if the fault is missing usage. */
export function reportedCount(count: number, fault: Fault | undefined): number | undefined {
  if (fault?.name === "no-usage") return undefined
  if (fault?.name === "wrong-usage") return 0
  return fault?.name === "huge-usage" ? count + 10_000_000 : count
}

/** Returns the name of the first unknown field. */
export function unknownField(body: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(body).find((name) => !known.includes(name))
}
