import { type JsonValue, parseJson } from "../../canon/json.ts"
import type { LongSpans } from "../../canon/long-spans.ts"
import { parseWhole } from "../../canon/long-value.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { HttpResponse } from "../../wire/http/response.ts"
import { SMALL_RESPONSE } from "./response-size.ts"
import type { Attempt, Candidate } from "./attempt.ts"
import { type ResponseReader, collectResponse, smallBody } from "./collect-response.ts"
import { tooComplex, usageIfTooComplex } from "./usage-members.ts"

const DECODER = new TextDecoder()

/** The call that receives a response. */
type AnsweredCall = ResponseReader & Pick<Attempt<Candidate>, "explain" | "isSmallResponse">

/**
 * Returns the JSON of a whole response; undefined if it is not JSON. Long JSON is parsed in slices.
 * @throws GatewayError `upstream_error`, `upstream_timeout`, `overloaded`.
 */
export function readJson(
  call: AnsweredCall,
  response: HttpResponse,
): MaybePromise<JsonValue | undefined> {
  const whole = smallBody(response, call)
  if (whole === undefined) return readLongJson(call, response)
  call.isSmallResponse = true
  const json = parseJson(DECODER.decode(whole))
  if (json === undefined) rejectTooComplex(call, whole)
  return json
}

async function readLongJson(
  call: AnsweredCall,
  response: HttpResponse,
): Promise<JsonValue | undefined> {
  const bytes = await collect(call, response, true)
  const json = await parseWhole(bytes)
  if (json === undefined) rejectTooComplex(call, bytes)
  return json
}

/**
 * Returns a whole response as bytes.
 * @param spans receives the positions of the long values of a response in JSON.
 * @throws GatewayError like `readJson`.
 */
export function readBytes(
  call: AnsweredCall,
  response: HttpResponse,
  spans: LongSpans | undefined,
): Promise<Buffer<ArrayBuffer>> {
  return collect(call, response, false, spans)
}

async function collect(
  call: AnsweredCall,
  response: HttpResponse,
  isJson: boolean,
  spans?: LongSpans,
): Promise<Buffer<ArrayBuffer>> {
  try {
    return await collectResponse(response, call, isJson, spans)
  } catch (error) {
    throw call.explain(error)
  }
}

/**
 * Checks a whole response that was not parsed as JSON. Large responses were already checked while they arrived.
 * @throws GatewayError if it is JSON that is too complex. Its usage is kept.
 */
export function rejectTooComplex(call: ResponseReader, bytes: Uint8Array): void {
  if (bytes.byteLength > SMALL_RESPONSE) return
  call.usageMembers = usageIfTooComplex(DECODER.decode(bytes))
  if (call.usageMembers !== undefined) throw tooComplex(call.provider)
}
