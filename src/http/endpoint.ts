import type { GatewayError } from "../canon/errors.ts"
import { errorWithoutKeys, withoutKeys } from "../canon/key-shapes.ts"
import { errorWithoutProviders } from "../canon/provider-names.ts"
import type { Method } from "#contract/route-name.ts"
import type { Reservation } from "../limits/memory-budget.ts"
import type { EndpointResponse } from "../relay/request/call.ts"
import type { Arrival, RequestTrace } from "../relay/request/request-trace.ts"
import { callerError } from "../relay/lifetime/call-failure.ts"
import type { Events } from "../telemetry/events.ts"
import { type ErrorResponse, errorResponse } from "./responses.ts"
import { heldResponse } from "./held-response.ts"
import { FormFields } from "./uploads/form-fields.ts"
import { newRequestId } from "./request-id.ts"
import type { Connection, Handler, Route } from "./server.ts"
import { afterBody } from "./unread-body.ts"

/** The sender of a request, with its memory reservation and its trace. */
export interface Sender {
  readonly memory?: Reservation
  /** Absent if the request has no key. */
  readonly key?: { readonly id: string; readonly account: string }
  readonly trace?: RequestTrace | undefined
  /** Whether the names of providers are hidden from the caller. */
  readonly hidesCosts?: boolean
}

/** An authenticated request whose body has been read. */
export interface HandlerContext<Caller> extends Arrival {
  readonly request: Request
  /** The request id (`req_...`), which is also sent in the response headers. */
  readonly id: string
  /** The endpoint's path. */
  readonly path: string
  readonly caller: Caller
  readonly connection: Connection
}

/** Authenticates a request, synchronously if the caller is in memory. @throws GatewayError */
export type Auth<Caller> = (
  request: Request,
  connection: Connection,
  arrival: Arrival,
) => Caller | Promise<Caller>

/** Reads the body of a request; undefined for endpoints without a body. @throws GatewayError */
export type BodyReader<Caller, Body> = (request: Request, caller: Caller) => Body | Promise<Body>

/** Definition of an endpoint. */
export interface Endpoint<Caller extends Sender, Body> {
  readonly method: Method
  /** The path in the form of `Route`. */
  readonly path: string
  readonly auth: Auth<Caller>
  readonly body: BodyReader<Caller, Body>
  /** Builds errors in the dialect of the endpoint's clients; if absent, in OpenAI's envelope. */
  readonly errors?: ErrorResponse
  /**
   * Converts an exception to an error for the caller. If absent, all exceptions except `GatewayError` become internal
   * errors.
   */
  readonly errorOf?: (thrown: unknown) => GatewayError
  /**
   * Returns a complete `Response`, or an `Answer` that holds the request's memory until it is sent.
   * @throws GatewayError
   */
  readonly handle: (
    context: HandlerContext<Caller>,
    body: Body,
  ) => Response | EndpointResponse | Promise<Response | EndpointResponse>
}

const ANYONE: Sender = {}

/** Accepts requests without a credential. */
export const anyone: Auth<Sender> = () => ANYONE

/** Reads nothing, for endpoints without a body. */
export const noBody = (): undefined => undefined

/** Builds the route of an endpoint. It authenticates the caller, reads the body and handles errors. */
export function serve<Caller extends Sender, Body>(
  endpoint: Endpoint<Caller, Body>,
  events: Events,
): Route {
  const { method, path, auth, body: read, errors = errorResponse, errorOf, handle } = endpoint
  const handler: Handler = async (request, connection, id = newRequestId()) => {
    let caller: Caller | undefined
    let body: Body | undefined
    try {
      const receivedAt = Date.now()
      const startedAt = performance.now()
      const found = auth(request, connection, { receivedAt, startedAt })
      caller = found instanceof Promise ? await found : found
      const reading = read(request, caller)
      body = reading instanceof Promise ? await reading : reading
      if (body !== undefined) connection.waitLong()
      const result = await handle(
        { request, id, path, caller, connection, receivedAt, startedAt },
        body,
      )
      return afterBody(request, finished(result, { id, memory: caller.memory, connection }))
    } catch (thrown) {
      caller?.memory?.[Symbol.dispose]()
      connection.waitShort()
      const { key, trace, hidesCosts } = caller ?? ANYONE
      const failed = { request, id, path, errors, errorOf, events, key, trace, body, hidesCosts }
      return afterBody(request, failure(thrown, failed))
    }
  }
  return { method, path, handler, handlesUnread: true, errors }
}

/** A failed request, with the means to report the failure. */
interface Failed {
  readonly request: Request
  readonly id: string
  readonly path: string
  readonly errors: ErrorResponse
  readonly errorOf?: ((thrown: unknown) => GatewayError) | undefined
  readonly events: Pick<Events, "requestFailed" | "errorAnswered">
  /** Absent if the failure happened before authentication. */
  readonly key?: Sender["key"]
  /** Absent if the failure happened before the body was read. */
  readonly body?: unknown
  readonly trace?: RequestTrace | undefined
  readonly hidesCosts?: boolean | undefined
}

/** Converts an exception to a response. Internal errors are also logged. */
export function failure(
  thrown: unknown,
  {
    request,
    id,
    path,
    errors,
    errorOf = callerError,
    events,
    key,
    trace,
    body,
    hidesCosts,
  }: Failed,
): Response {
  const error = errorWithoutKeys(errorOf(thrown))
  if (error.kind === "internal_error") events.requestFailed(id, error.cause ?? thrown)
  events.errorAnswered({
    request: id,
    endpoint: path,
    kind: error.kind,
    status: error.status,
    parameter: error.details.parameter,
    message: error.message,
    key: key ?? error.details.sender,
    model: namedModel(body),
  })
  trace?.failed({ request: id, endpoint: path, kind: error.kind, status: error.status })
  return errors(hidesCosts === true ? errorWithoutProviders(error) : error, id, request)
}

/** Returns the model that a request body names; undefined if it names no model. */
function namedModel(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined
  const { json, fields } = body as { readonly json?: object; readonly fields?: unknown }
  const named =
    fields instanceof FormFields ? fields.first("model") : json && Reflect.get(json, "model")
  return typeof named === "string" ? withoutKeys(named) : undefined
}

function finished(
  result: Response | EndpointResponse,
  {
    id,
    memory,
    connection,
  }: {
    readonly id: string
    readonly memory: Reservation | undefined
    readonly connection: Connection
  },
): Response {
  if (result instanceof Response) {
    memory?.[Symbol.dispose]()
    connection.waitShort()
    return result
  }
  result.headers["x-request-id"] = id
  result.headers["request-id"] = id
  return heldResponse(result, memory, connection)
}
