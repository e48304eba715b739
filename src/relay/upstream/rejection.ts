import { ChunkList } from "../../wire/chunk-list.ts"
import type { ResponseHeaders } from "../../canon/operation.ts"
import type { HttpResponse } from "../../wire/http/response.ts"
import { proxyRejection } from "../../wire/http/connection-error.ts"
import { parseJson } from "../../canon/json.ts"
import { GatewayError } from "../../canon/errors.ts"
import { waitSecondsOf } from "../../canon/quantity.ts"

/** Maximum bytes of a vendor's error body that are read. */
const ERROR_BODY_LIMIT = 64 * 1024

/** A status that proxies send, but providers do not. */
const PROXY_AUTHENTICATION = 407

/** Reads error responses in the format of one vendor. */
export interface RejectionReader {
  decodeError(status: number, body: unknown, headers: ResponseHeaders): GatewayError
}

/** A call that received an error response. */
interface RejectedCall {
  readonly provider: string
  /** Called when bytes have arrived. */
  received(): void
  /** Returns the error that explains a transport failure. */
  explain(error: unknown): Error
  /** Returns the provider's message without the operator's secrets. */
  cleanedText(text: string): string
  /** Called with the provider's message, without the operator's secrets. */
  rejected(words: string): void
}

/** Converts a vendor's error response to an error of the gateway. */
export async function rejectionOf(
  attempt: RejectedCall,
  response: HttpResponse,
  speaker: RejectionReader,
): Promise<GatewayError> {
  const { provider } = attempt
  if (response.status >= 300 && response.status < 400) {
    return new GatewayError(
      "upstream_error",
      `Provider '${provider}' answered with a redirect, which is never followed. The operator has to correct its base_url.`,
    )
  }
  const body = await readErrorBody(attempt, response)
  const error = speaker.decodeError(response.status, body, response.headers)
  const retryAfter = retryAfterOf(response.headers)
  const isProxys = response.status === PROXY_AUTHENTICATION
  if (retryAfter === undefined && !isProxys) return error
  return new GatewayError(error.kind, error.message, {
    ...error.details,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(isProxys && { cause: proxyRejection(response.status) }),
  })
}

async function readErrorBody(attempt: RejectedCall, response: HttpResponse): Promise<unknown> {
  const list = new ChunkList()
  let size = 0
  attempt.received()
  try {
    for await (const chunk of response.body) {
      list.push(chunk)
      size += chunk.byteLength
      if (size > ERROR_BODY_LIMIT) break
    }
  } catch (error) {
    return attempt.explain(error).message
  }
  // Secrets are removed before the text is cut, because a truncated secret would not be recognized.
  const text = attempt.cleanedText(Buffer.concat(list.chunks).toString("utf8", 0, ERROR_BODY_LIMIT))
  const body = parseJson(text)
  attempt.rejected(messageIn(body) ?? text)
  return body ?? text
}

/** Returns the members of an error that contain its message. */
export function messageIn(body: unknown): string | undefined {
  const error = memberOf(body, "error") ?? body
  const message = memberOf(error, "message") ?? (typeof error === "string" ? error : undefined)
  return typeof message === "string" && message !== "" ? message : undefined
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}

/** Returns the seconds of `retry-after-ms`, or of `retry-after` in seconds or as a date. */
function retryAfterOf(headers: ResponseHeaders): number | undefined {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN)
  const text = headers.get("retry-after")
  const seconds = Number.isFinite(milliseconds) ? milliseconds / 1000 : secondsOf(text)
  return waitSecondsOf(seconds)
}

function secondsOf(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined
  const seconds = Number(text)
  return Number.isFinite(seconds) ? seconds : (Date.parse(text) - Date.now()) / 1000
}
