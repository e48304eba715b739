import type { RouteResponse, AnyInput, Input, RouteName } from "tollgate-contract/client.ts"
import { methodAndPath } from "tollgate-contract/route-name.ts"
import { addressWith } from "./address.ts"
import { responseLost, readError, unreachable } from "./api-error.ts"

/** A header that a form on another site cannot send. The gateway requires the header for every change. */
const OUR_HEADER = { "x-tollgate-console": "1" }
/**
 * The storage name of a token that proves to the gateway that this tab began a sign-in at an issuer. Unlike a cookie,
 * the token cannot be set by another host.
 */
const LINK_TOKEN = "tollgate.link-token"

/** Stores the token of a sign-in at an issuer. The next sign-in uses the token to link the issuer to the user. */
export function keepLinkToken(token: string): void {
  sessionStorage.setItem(LINK_TOKEN, token)
}

function linkHeader(name: RouteName): Record<string, string> {
  const token = name.startsWith("POST /auth/") ? sessionStorage.getItem(LINK_TOKEN) : null
  return token === null ? {} : { "x-tollgate-link-token": token }
}

type Listener = () => void
let signedOut: Listener = () => {}

/** Sets the listener that is called when a response shows that the session has ended. */
export function onSignedOut(listener: Listener): void {
  signedOut = listener
}

/** Options of a request. */
export interface Sending {
  readonly signal?: AbortSignal
  /**
   * Sent with requests that move money or create a secret. If a request is repeated with the same key, the gateway
   * returns the first response and does not execute the request again.
   */
  readonly idempotencyKey?: string
  /** The start of a page of a list: the `next_cursor` of the previous page. */
  readonly cursor?: string | undefined
}

/**
 * Calls a route of the management API: `api("PATCH /keys/{id}", { path: { id }, body })`. Input and
 * response have the types of the gateway's own schemas.
 * @throws ApiError for every error response, and if there is no response.
 */
export function api<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  sending?: Sending,
): Promise<RouteResponse<Name>>
export async function api(
  name: RouteName,
  input: AnyInput,
  sending: Sending = {},
): Promise<unknown> {
  const { method } = methodAndPath(name)
  const body = input.body ?? (method === "POST" ? {} : undefined)
  const { signal, idempotencyKey, cursor } = sending
  const query = cursor === undefined ? input.query : { ...input.query, cursor }
  const response = await send(addressWith(name, { ...input, ...(query && { query }) }), {
    method,
    credentials: "same-origin",
    headers: {
      ...OUR_HEADER,
      ...linkHeader(name),
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
  const answer = await readJson(response)
  if (response.ok && answer === undefined) throw responseLost()
  if (response.ok) return answer
  const error = readError(response.status, answer)
  // An error with a parameter concerns that field, such as a wrong password or code. The session is still valid.
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

/** Returns undefined if the body is incomplete or is not JSON. */
async function readJson(response: Response): Promise<unknown> {
  try {
    const text = await response.text()
    return text === "" ? null : JSON.parse(text)
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown
    return undefined
  }
}
