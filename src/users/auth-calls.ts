import { GatewayError, type ErrorKind } from "../canon/errors.ts"
import type { JsonObject } from "../canon/json.ts"
import type { AuthServer } from "./auth-server.ts"
import { ADDRESS_HEADER } from "./cookies.ts"

/** Who stands before the door: what their browser sent, and where they come from. */
export interface ClientInfo {
  readonly cookie: string | null
  readonly agent: string | null
  readonly address: string | null
}

/** What a step of signing in answers. */
export interface Reply {
  readonly body: JsonObject
  /** For the browser: values of `set-cookie`. */
  readonly cookies: readonly string[]
  /** Where the browser is sent. */
  readonly location: string | null
}

export interface Call {
  readonly method: "GET" | "POST"
  /** Below better-auth's own path, with its query. */
  readonly path: string
  readonly body?: JsonObject
  /** The field that holds a password, as the asker named it. */
  readonly passwordField?: string
}

/**
 * Asks better-auth. Of the browser's request only the cookies go along: whether another site made it
 * was looked at before, and nothing else of it may steer what happens.
 * @throws GatewayError in our words.
 */
export async function callAuth(server: AuthServer, client: ClientInfo, call: Call): Promise<Reply> {
  const base = new URL(String(server.options.baseURL))
  const request = new Request(base.href + call.path, {
    method: call.method,
    headers: headersOf(client, base.origin, call.body !== undefined),
    ...(call.body && { body: JSON.stringify(call.body) }),
  })
  const response = await server.handler(request)
  const text = await response.text()
  const cookies = response.headers.getSetCookie()
  const location = response.headers.get("location")
  if (response.status < 400) return { body: jsonOf(text), cookies, location }
  throw refusalOf(jsonOf(text), response.status, call.passwordField ?? "password")
}

function headersOf(client: ClientInfo, origin: string, hasBody: boolean): Headers {
  const headers = new Headers({ origin, [ADDRESS_HEADER]: client.address ?? "127.0.0.1" })
  if (client.cookie !== null) headers.set("cookie", client.cookie)
  if (client.agent !== null) headers.set("user-agent", client.agent.slice(0, 300))
  if (hasBody) headers.set("content-type", "application/json")
  return headers
}

function jsonOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as JsonObject) : {}
  } catch {
    return {}
  }
}

interface Refusal {
  readonly kind: ErrorKind
  readonly message: string
  readonly parameter?: "password" | "code"
}

const BEGIN_AGAIN: Refusal = {
  kind: "not_signed_in",
  message:
    "The time for the code is over, or too many were wrong. Sign in with your password again.",
}
const WRONG_CODE: Refusal = {
  kind: "invalid_value",
  message: "The code is wrong. Codes change every 30 seconds: look whether your clock is right.",
  parameter: "code",
}
const NOT_SIGNED_IN: Refusal = {
  kind: "not_signed_in",
  message: "You are not signed in. Sign in to the console.",
}

/** better-auth's codes, in our words. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  INVALID_EMAIL_OR_PASSWORD: {
    kind: "not_signed_in",
    message: "The e-mail address or the password is wrong.",
  },
  INVALID_PASSWORD: {
    kind: "invalid_value",
    message: "The password is wrong.",
    parameter: "password",
  },
  INVALID_CODE: WRONG_CODE,
  INVALID_BACKUP_CODE: { ...WRONG_CODE, message: "The backup code is wrong, or was used already." },
  INVALID_TWO_FACTOR_COOKIE: BEGIN_AGAIN,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: BEGIN_AGAIN,
  ACCOUNT_TEMPORARILY_LOCKED: {
    kind: "too_many_attempts",
    message: "Too many codes were wrong. Try again in 15 minutes, or ask an operator for help.",
  },
  TOTP_ALREADY_ENABLED: {
    kind: "conflict",
    message: "A second factor is in use already. Switch it off first.",
  },
  TOTP_NOT_ENABLED: { kind: "conflict", message: "No second factor was set up for this user." },
  TWO_FACTOR_NOT_ENABLED: {
    kind: "conflict",
    message: "No second factor was set up for this user.",
  },
  BACKUP_CODES_NOT_ENABLED: { kind: "conflict", message: "This user has no backup codes." },
  CREDENTIAL_ACCOUNT_NOT_FOUND: {
    kind: "conflict",
    message: "You have no password here. Ask an operator for a link to set one.",
  },
  INVALID_TOKEN: {
    kind: "forbidden",
    message: "This link was used already, or is older than a day. Ask an operator for another.",
  },
  UNAUTHORIZED: NOT_SIGNED_IN,
  SESSION_EXPIRED: NOT_SIGNED_IN,
  disabled: { kind: "forbidden", message: "This user is disabled. Ask an operator." },
}

function refusalOf(body: JsonObject, status: number, passwordField: string): GatewayError {
  const code = String(body["code"] ?? "")
  const refusal = REFUSALS[code] ?? (status === 401 ? NOT_SIGNED_IN : undefined)
  if (!refusal) {
    const cause = new Error(`better-auth answered ${status} ${code}: ${String(body["message"])}`)
    return new GatewayError("internal_error", "Signing in failed. Try again.", { cause })
  }
  const { kind, message, parameter } = refusal
  return new GatewayError(kind, message, {
    ...(parameter && { parameter: parameter === "password" ? passwordField : parameter }),
    ...(kind === "too_many_attempts" && { retryAfter: 900 }),
  })
}
