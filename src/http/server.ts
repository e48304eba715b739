import { GatewayError } from "../canon/errors.ts"
import { TurnLimit } from "../canon/next-turn.ts"
import type { Method } from "#contract/route-name.ts"
import type { LastAnswers } from "./last-answers.ts"
import { type EncodeBreak, type ErrorAnswer, errorAnswer } from "./answers.ts"
import { succeed } from "./incoming-body.ts"
import { droppingRest } from "./unread-body.ts"
import { newRequestId } from "./request-id.ts"
import { bunPath } from "./path-pattern.ts"
import type { Forwarded, TrustedProxies } from "./trusted-proxies.ts"

/** The connection of a request. */
export interface Connection {
  /** The network address of the caller: of the other end, or what trusted proxies say. */
  readonly address: string | null
  /** Where trusted proxies say that the caller reached this gateway, as an origin; undefined: they say nothing. */
  readonly origin: string | undefined
  /** Called once the request is read: its answer may take longer than a silent connection is left open. */
  waitLong(): void
}

/**
 * Answers a request.
 * @param id of the request, where it has one already; a new one otherwise.
 */
export type Handler = (
  request: Request,
  connection: Connection,
  id?: string,
) => Response | Promise<Response>

export interface Route {
  /** May have named parts: `/keys/{id}`. A last part `{name...}` takes all that follows, slashes included. */
  readonly path: string
  readonly method: Method
  readonly handler: Handler
  /** Whether its handler calls `afterBody` itself. Default: false. */
  readonly handlesUnread?: boolean
  /** Its errors in the dialect of its clients. */
  readonly errors: ErrorAnswer
  /** Ends a stream that breaks off, in the dialect of its clients; absent: with OpenAI's envelope. */
  readonly encodeBreak?: EncodeBreak
}

/** A part of the gateway that routes by itself: every method, all paths below one. */
export interface Mount {
  /** Ends in `/*`. */
  readonly path: string
  readonly handler: Handler
}

export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** Whether other processes listen on the same port. */
  readonly isShared: boolean
}

/** Seconds without a byte after which a connection that is not being answered is closed. */
const IDLE_TIMEOUT = 60
/** The same for what is managed: to verify a large ledger takes its time. The largest value that Bun takes, apart from forever. */
const LONG_TIMEOUT = 255
/** Characters of one `Host` header. Bun joins several with commas. */
const HOST = /^[^\s,/?#@\\]+$/
/** Bodies are limited where they are read, with an error of ours; this is only a last resort. */
const LARGEST_BODY = 1024 * 1024 * 1024

/**
 * Limits the requests that begin in one turn of the event loop, over all connections. A client may pipeline thousands
 * of requests, and the runtime reads all received data in one turn. It closes a connection that pipelines further
 * requests while one waits.
 */
const requestsPerTurn = new TurnLimit(64)

/** What a server answers. */
export interface Answering {
  readonly routes: readonly Route[]
  readonly mounts: readonly Mount[]
  /** Handles what no path of these matches, or not with its method. */
  readonly elsewhere: Handler
  readonly lastAnswers: LastAnswers
}

/** What may change while the server runs. */
export interface ServerState {
  readonly proxies: TrustedProxies
}

/** Listens. Bun's own router matches the paths. */
export function serve(
  settings: ServerSettings,
  { routes, mounts, elsewhere, lastAnswers }: Answering,
  state: ServerState,
): Bun.Server<undefined> {
  const methods: Record<string, Record<string, BunHandler>> = {}
  for (const route of routes) {
    const handlers = (methods[bunPath(route.path)] ??= {})
    const handler = route.handlesUnread === true ? route.handler : droppingRest(route.handler)
    handlers[route.method] = bunHandler(handler, lastAnswers, state)
    if (route.method === "GET") handlers["HEAD"] = bunHandler(handler, lastAnswers, state)
  }
  return Bun.serve({
    hostname: settings.host,
    port: settings.port,
    reusePort: settings.isShared,
    development: false,
    idleTimeout: IDLE_TIMEOUT,
    maxRequestBodySize: LARGEST_BODY,
    routes: {
      ...methods,
      ...Object.fromEntries(mounts.map((mount) => mounted(mount, lastAnswers, state))),
    },
    fetch: bunHandler(droppingRest(elsewhere), lastAnswers, state),
    error: () =>
      errorAnswer(new GatewayError("internal_error", "The gateway failed."), newRequestId()),
  })
}

type BunHandler = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

function bunHandler(handler: Handler, last: LastAnswers, state: ServerState): BunHandler {
  return (request, server) => {
    return begun(request, handler, new BunConnection(request, server, state), last)
  }
}

/** Handles a request, in a later turn of the event loop if too many begin in this one. */
function begun(
  request: Request,
  handler: Handler,
  connection: Connection,
  last: LastAnswers,
): Response | Promise<Response> {
  const turn = requestsPerTurn.enter()
  const answer =
    turn === undefined
      ? answered(request, handler, connection)
      : answeredLater(turn, request, handler, connection)
  return last.isOn ? last.close(answer) : answer
}

async function answeredLater(
  turn: Promise<void>,
  request: Request,
  handler: Handler,
  connection: Connection,
): Promise<Response> {
  await turn
  return answered(request, handler, connection)
}

/** The answer of a handler, once it is clear that the request has one host. */
function answered(
  request: Request,
  handler: Handler,
  connection: Connection,
): Response | Promise<Response> {
  const host = request.headers.get("host")
  if (host === null) return handler(withHost(request), connection)
  if (host !== lastHost) {
    // The address of a request is made of it, and is parsed.
    if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return wrongHost()
    lastHost = host
  }
  return handler(request, connection)
}

/** The last host that was found to be one: nearly all requests have the same. */
let lastHost = ""

/** HTTP/1.0 allows requests without a host. Bun then shows only the path of their address. */
function withHost(request: Request): Request {
  return succeed(request, new Request(`http://localhost${request.url}`, request))
}

function wrongHost(): Response {
  const error = new GatewayError(
    "invalid_value",
    "The request needs exactly one 'Host' header with a host name and an optional port.",
    { parameter: "host", headers: { connection: "close" } },
  )
  return errorAnswer(error, newRequestId())
}

/** The address is looked up only where it is asked for. */
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
    return this.#state.proxies.isNone ? undefined : this.#forwarded.origin
  }

  get #forwarded(): Forwarded {
    const peer = this.#server.requestIP(this.#request)?.address ?? null
    return this.#state.proxies.forwarded(this.#request, peer)
  }

  waitLong(): void {
    this.#server.timeout(this.#request, 0)
  }
}

function mounted(
  { path, handler }: Mount,
  last: LastAnswers,
  state: ServerState,
): [string, BunHandler] {
  const answering = droppingRest(handler)
  return [
    path,
    (request, server) => {
      server.timeout(request, LONG_TIMEOUT)
      const { address, origin } = new BunConnection(request, server, state)
      const mountedAt = { address, origin, waitLong() {} }
      return begun(request, answering, mountedAt, last)
    },
  ]
}
