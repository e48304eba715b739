import { gatewayPath } from "../../base-path.ts"
import { type ResponseContent, NOTHING_YET, withEvent } from "./response.ts"
import { CallError, type CallFailure, failureOfBody, ownFailure } from "./call-failure.ts"
import type { JsonObject } from "./conversation.ts"
import { FrameReader } from "./frames.ts"
import { t } from "../../languages/text.ts"

/** A request to a caller's endpoint. */
export interface GatewayCall {
  /** The path of the endpoint, such as `/v1/chat/completions`. */
  readonly path: string
  readonly body: JsonObject | FormData
  /** The secret of a gateway key. It is sent only in a header. */
  readonly secret: string
  readonly signal: AbortSignal
}

/** The facts in the headers of a response. */
export interface CallFacts {
  readonly requestId: string | null
  /** The cost in credits; null if it is not known yet. */
  readonly cost: string | null
  readonly provider: string | null
  /** The parts of the request that were not sent to the vendor. */
  readonly losses: readonly string[]
}

/** Sends a request to the gateway. @throws CallError if the gateway rejects the request or fails. */
export async function callGateway(call: GatewayCall): Promise<Response> {
  const isForm = call.body instanceof FormData
  const response = await fetch(gatewayPath(call.path), {
    method: "POST",
    // The key identifies the caller, so the session cookie is not sent.
    credentials: "omit",
    signal: call.signal,
    headers: {
      authorization: `Bearer ${call.secret}`,
      ...(!isForm && { "content-type": "application/json" }),
    },
    body: call.body instanceof FormData ? call.body : JSON.stringify(call.body),
  })
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => undefined)
  const failure = failureOfBody(response.status, body)
  const wait = Number(response.headers.get("retry-after") ?? Number.NaN)
  throw new CallError({
    ...failure,
    requestId: failure.requestId ?? response.headers.get("x-request-id"),
    retryAfter: Number.isFinite(wait) ? wait : null,
  })
}

export function factsOf(response: Response): CallFacts {
  const { headers } = response
  const losses = headers.get("x-tollgate-losses") ?? ""
  return {
    requestId: headers.get("x-request-id"),
    cost: headers.get("x-tollgate-cost"),
    provider: headers.get("x-tollgate-provider"),
    losses: losses
      .split(",")
      .map((loss) => loss.trim())
      .filter((loss) => loss !== ""),
  }
}

/**
 * Reads a streamed chat response to its end. A stream without an end marker is a failure.
 * @param onContent receives the complete content so far, after each chunk.
 */
export async function readChat(
  response: Response,
  onContent: (content: ResponseContent) => void,
): Promise<ResponseContent> {
  let content = NOTHING_YET
  if (response.body === null) return { ...content, failure: brokenOff() }
  const frames = new FrameReader()
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    const chunks = frames.push(
      done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }),
    )
    for (const data of chunks) content = withEvent(content, data)
    onContent(content)
    if (done) break
  }
  if (content.isComplete || content.failure !== null) return content
  return { ...content, failure: brokenOff() }
}

function brokenOff(): CallFailure {
  return ownFailure("broken_off", t("The response was cut off. The received part is shown."))
}

const RECEIPT_TRIES = 12
const RECEIPT_RETRY_INTERVAL_MS = 250

/**
 * Returns the cost of a request from its receipt, for responses whose headers were sent before the cost was known.
 * Returns null if no receipt appears within a few seconds.
 */
export async function receiptCost(requestId: string, secret: string): Promise<string | null> {
  for (let attempt = 0; attempt < RECEIPT_TRIES; attempt++) {
    const response = await fetch(gatewayPath(`/v1/receipts/${encodeURIComponent(requestId)}`), {
      credentials: "omit",
      headers: { authorization: `Bearer ${secret}` },
    }).catch(() => undefined)
    if (response?.ok === true) {
      const receipt: unknown = await response.json().catch(() => undefined)
      if (typeof receipt === "object" && receipt !== null && "charged" in receipt) {
        return typeof receipt.charged === "string" ? receipt.charged : null
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_RETRY_INTERVAL_MS))
  }
  return null
}
