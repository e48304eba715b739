import type { Answer, AnyInput, Input, RouteName } from "tollgate-contract/client.ts"
import { methodAndPath } from "tollgate-contract/route-name.ts"
import { addressWith } from "./address.ts"
import { answerLost, readError, unreachable } from "./api-error.ts"

/** The header that no form of a foreign page can send: the gateway asks it of every change. */
const OUR_HEADER = { "x-tollgate-console": "1" }
/** Proves to the gateway that this tab began a sign-in at an issuer. Unlike a cookie, no other host can set it. */
const LINK_TOKEN = "tollgate.link-token"

/** Keeps the token of a sign-in at an issuer for the sign-in that links the issuer to the user. */
export function keepLinkToken(token: string): void {
  sessionStorage.setItem(LINK_TOKEN, token)
}

function linkHeader(name: RouteName): Record<string, string> {
  const token = name.startsWith("POST /auth/") ? sessionStorage.getItem(LINK_TOKEN) : null
  return token === null ? {} : { "x-tollgate-link-token": token }
}

type Listener = () => void
let signedOut: Listener = () => {}

/** Says who is to know when an answer shows that the session is over. */
export function onSignedOut(listener: Listener): void {
  signedOut = listener
}

/** How a request is sent. */
export interface Sending {
  readonly signal?: AbortSignal
  /**
   * What moves money or makes a secret is sent with a key: asked again with it, it is answered as the first time
   * and not done twice.
   */
  readonly idempotencyKey?: string
  /** Where a page of a list begins: `next_cursor` of the page before. */
  readonly cursor?: string | undefined
}

/**
 * Calls a route of the management API: `api("PATCH /keys/{id}", { path: { id }, body })`. What is sent and what is
 * answered has the types that the gateway's own schemas have.
 * @throws ApiError for every answer that is no success, and when there is none.
 */
export function api<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  sending?: Sending,
): Promise<Answer<Name>>
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
  if (response.ok && answer === undefined) throw answerLost()
  if (response.ok) return answer
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
