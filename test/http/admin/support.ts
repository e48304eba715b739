import { startGateway, type GatewayOptions, type TestGateway } from "../../support/gateway.ts"

export const ADMIN_TOKEN = "admin-token-for-tests"

/** Starts a gateway whose management API accepts the admin token. */
export function startManaged(options: GatewayOptions = {}): Promise<TestGateway> {
  return startGateway({ ...options, settings: { adminToken: ADMIN_TOKEN, ...options.settings } })
}

/** The server to call, and the headers to send. By default, the header contains the admin token. */
interface ApiTarget {
  readonly url: string
  readonly headers?: Record<string, string>
}

const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` }

/** Sends a request to the management API. */
export function ask(
  { url, headers = ADMIN }: ApiTarget,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return fetch(`${url}/admin/v1${path}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
}

/**
 * Sends a request to the management API, and returns the response as JSON.
 * @throws when the request fails.
 */
export async function asked(
  target: ApiTarget,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await ask(target, method, path, body)
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

/** The error in a response. */
export interface AnsweredError {
  readonly message: string
  readonly param: string | null
  readonly code: string
  readonly error_type: string
  readonly request_id: string
  readonly errors?: readonly { readonly param: string | null; readonly message: string }[]
}

export async function errorOf(response: Response): Promise<AnsweredError> {
  const { error } = (await response.json()) as { error: AnsweredError }
  return error
}
