import { GatewayError } from "../canon/errors.ts"
import { TurnLimit } from "../canon/next-turn.ts"
import type { Method } from "#contract/route-name.ts"
import type { LastResponses } from "./last-responses.ts"
import { type EncodeBreak, type ErrorResponse, errorResponse } from "./responses.ts"
import { succeed } from "./incoming-body.ts"
import { droppingRest } from "./unread-body.ts"
import { newRequestId } from "./request-id.ts"
import { bunPath } from "./path-pattern.ts"
import type { Forwarded, TrustedProxies } from "./trusted-proxies.ts"

export interface Connection {
  /** The network address of the caller, from the connection or from trusted proxies. */
  readonly address: string | null
  /** The origin of the request as reported by trusted proxies; undefined without a report. */
  readonly origin: string | undefined
  /**
   * Disables the idle timeout. It is called when the request has been read, because the response may take a long time.
   */
  waitLong(): void
  /**
   * Restores the idle timeout. It is called in the turn in which the response ends, because the runtime ignores later
   * changes.
   * @param isLong whether the caller may continue to read long after the end, for example because the response is
   *   large.
   */
  waitShort(isLong?: boolean): void
}

/**
 * Handles a request.
 * @param id id of the request; if absent, a new id is created.
 */
export type Handler = (
  request: Request,
  connection: Connection,
  id?: string,
) => Response | Promise<Response>

export interface Route {
  /**
   * A path that may have named parts: `/keys/{id}`. A final part `{name...}` matches the rest of a path, including
   * slashes.
   */
  readonly path: string
  readonly method: Method
  readonly handler: Handler
  /** Whether the handler calls `afterBody` itself; false if absent. */
  readonly handlesUnread?: boolean
  /** Builds errors in the dialect of the route's clients. */
  readonly errors: ErrorResponse
  /** Ends an interrupted stream in the dialect of the route's clients; if absent, in OpenAI's envelope. */
  readonly encodeBreak?: EncodeBreak
}

/** A part of the gateway with its own routing, which handles all methods and paths under its own path. */
export interface Mount {
  /** The path, which ends in `/*`. */
  readonly path: string
  readonly handler: Handler
  /** Whether its responses may take a long time. */
  readonly isLong: boolean
}

export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** Whether other processes listen on the same port. */
  readonly isShared: boolean
}

/** Idle timeout of connections, except while a response is pending. */
const IDLE_TIMEOUT_SECONDS = 60
/**
 * Idle timeout of management requests, because verifying a large ledger takes a long time, and of large responses,
 * because their callers may be slow. It is the largest finite value that Bun accepts.
 */
const LONG_TIMEOUT_SECONDS = 255
/** Matches a single `Host` header. Bun joins several `Host` headers with commas. */
const HOST = /^[^\s,/?#@\\]+$/
/** Matches the URL of a request that has a path. `CONNECT` requests may have a host or `*` instead. */
const PATH = /^(?:https?:\/)?\//i
/**
 * The runtime's limit for bodies, as a last resort. Bodies above the limit of an endpoint are rejected earlier, with a
 * proper error.
 */
const MAX_BODY_BYTES = 1024 * 1024 * 1024

/**
 * Limits the number of requests that begin in one turn of the event loop, over all connections. A client may pipeline
 * thousands of requests, and the runtime reads all received data in one turn. If a connection sends another request
 * while one of its requests waits, the runtime closes the connection.
 */
const requestsPerTurn = new TurnLimit(64)

/** The handlers of a server. */
export interface Answering {
  readonly routes: readonly Route[]
  readonly mounts: readonly Mount[]
  /** Handles requests for which no route has the path and method. */
  readonly fallback: Handler
  readonly lastResponses: LastResponses
}

/** The state that may change while the server runs. */
export interface ServerState {
  readonly proxies: TrustedProxies
}

/** Starts a server. Bun's router matches the paths. */
export function serve(
  settings: ServerSettings,
  { routes, mounts, fallback, lastResponses }: Answering,
  state: ServerState,
): Bun.Server<undefined> {
  const methods: Record<string, Record<string, BunHandler>> = {}
  for (const route of routes) {
    const handlers = (methods[bunPath(route.path)] ??= {})
    const handler = route.handlesUnread === true ? route.handler : droppingRest(route.handler)
    handlers[route.method] = bunHandler(handler, lastResponses, state)
    if (route.method === "GET") handlers["HEAD"] = bunHandler(handler, lastResponses, state)
  }
  return Bun.serve({
    hostname: settings.host,
    port: settings.port,
    reusePort: settings.isShared,
    development: false,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    routes: {
      ...methods,
      ...Object.fromEntries(mounts.map((mount) => mounted(mount, lastResponses, state))),
    },
    fetch: bunHandler(droppingRest(fallback), lastResponses, state),
    error: () =>
      errorResponse(new GatewayError("internal_error", "The gateway failed."), newRequestId()),
  })
}

type BunHandler = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

function bunHandler(handler: Handler, last: LastResponses, state: ServerState): BunHandler {
  return (request, server) => {
    return begun(request, handler, new BunConnection(request, server, state), last)
  }
}

/** Handles a request. If too many requests begin in this turn of the event loop, it waits for a later turn. */
function begun(
  request: Request,
  handler: Handler,
  connection: Connection,
  last: LastResponses,
): Response | Promise<Response> {
  const turn = requestsPerTurn.enter()
  const response =
    turn === undefined
      ? answered(request, handler, connection)
      : turn.then(() => answered(request, handler, connection))
  return last.isOn ? last.close(response) : response
}

/** Calls the handler after checking that the request has a path and exactly one host. */
function answered(
  request: Request,
  handler: Handler,
  connection: Connection,
): Response | Promise<Response> {
  if (request.method === "CONNECT" && !PATH.test(request.url)) return wrongTarget()
  const host = request.headers.get("host")
  if (host === null) return handler(withHost(request), connection)
  if (host !== lastHost) {
    // Validated because the request's address is parsed from the host.
    if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return wrongHost()
    lastHost = host
  }
  return handler(request, connection)
}

/** The last valid host. It is cached, because nearly all requests have the same host. */
let lastHost = ""

/** Adds a host to a request. HTTP/1.0 allows requests without a host, for which Bun only provides the path. */
function withHost(request: Request): Request {
  return succeed(request, new Request(`http://localhost${request.url}`, request))
}

function wrongHost(): Response {
  return rejectedHead(
    "The request needs exactly one 'Host' header with a host name and an optional port.",
    "host",
  )
}

function wrongTarget(): Response {
  return rejectedHead(
    "The request needs a path, such as /v1/models. The gateway does not open tunnels to other hosts.",
  )
}

/**
 * Rejects a request based on its first lines. Closes the connection, because the client may send anything after them.
 */
function rejectedHead(message: string, parameter?: string): Response {
  const headers = { connection: "close" }
  const facts = parameter === undefined ? { headers } : { headers, parameter }
  return errorResponse(new GatewayError("invalid_value", message, facts), newRequestId())
}

/** A connection whose address is looked up on demand. */
class BunConnection implements Connection {
  readonly #request: Request
  readonly #server: Bun.Server<undefined>
  readonly #state: ServerState

  constructor(request: Request, server: Bun.Server<undefined>, state: ServerState) {
    this.#request = request
    this.#server = server
    this.#state = state
  }

  get address(): string | null {
    return this.#forwarded.address
  }

  get origin(): string | undefined {
    return this.#state.proxies.isEmpty ? undefined : this.#forwarded.origin
  }

  get #forwarded(): Forwarded {
    const peer = this.#server.requestIP(this.#request)?.address ?? null
    return this.#state.proxies.forwarded(this.#request, peer)
  }

  waitLong(): void {
    this.#server.timeout(this.#request, 0)
  }

  waitShort(isLong = false): void {
    this.#server.timeout(this.#request, isLong ? LONG_TIMEOUT_SECONDS : IDLE_TIMEOUT_SECONDS)
  }
}

function mounted(
  { path, handler, isLong }: Mount,
  last: LastResponses,
  state: ServerState,
): [string, BunHandler] {
  const answering = droppingRest(handler)
  return [
    path,
    (request, server) => {
      if (isLong) server.timeout(request, LONG_TIMEOUT_SECONDS)
      const { address, origin } = new BunConnection(request, server, state)
      const mountedAt = { address, origin, waitLong() {}, waitShort() {} }
      return begun(request, answering, mountedAt, last)
    },
  ]
}
