import { addressOf, type Query } from "./address.ts"
import { answerLost, readError, unreachable } from "./api-error.ts"

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The header that no form of a foreign page can send: the gateway asks it of every change. */
const OUR_HEADER = { "x-tollgate-console": "1" }

/**
 * Asks the management API. Paths are below `/admin/v1`. What moves money or makes a secret is sent with a
 * key: asked again with it, it is answered as the first time and not done twice.
 * @throws ApiError for every answer that is no success, and when there is none.
 */
export const api = {
  get: <Answer>(path: string, query?: Query, signal?: AbortSignal) =>
    ask<Answer>("GET", path, { query, signal }),
  post: <Answer>(path: string, body?: unknown, idempotencyKey?: string) =>
    ask<Answer>("POST", path, { body: body ?? {}, idempotencyKey }),
  put: <Answer>(path: string, body: unknown) => ask<Answer>("PUT", path, { body }),
  patch: <Answer>(path: string, body: unknown) => ask<Answer>("PATCH", path, { body }),
  delete: <Answer>(path: string) => ask<Answer>("DELETE", path, {}),
}

type Listener = () => void
let signedOut: Listener = () => {}

/** Says who is to know when an answer shows that the session is over. */
export function onSignedOut(listener: Listener): void {
  signedOut = listener
}

interface Asking {
  readonly query?: Query | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly idempotencyKey?: string | undefined
}

async function ask<Answer>(method: Method, path: string, asking: Asking): Promise<Answer> {
  const { query, body, signal, idempotencyKey } = asking
  const response = await send(addressOf(path, query), {
    method,
    credentials: "same-origin",
    headers: {
      ...OUR_HEADER,
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
  const answer = await readJson(response)
  if (response.ok && answer === undefined) throw answerLost()
  if (response.ok) return answer as Answer
  const error = readError(response.status, answer)
  // With a field it is about that field: a wrong password, a wrong code.
  if (error.status === 401 && error.parameter === null) signedOut()
  throw error
}

async function send(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request)
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown
    throw unreachable()
  }
}

/** Undefined where the body is not whole, or is no JSON. */
async function readJson(response: Response): Promise<unknown> {
  try {
    const text = await response.text()
    return text === "" ? null : JSON.parse(text)
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown
    return undefined
  }
}
