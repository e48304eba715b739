import type { BaseUrl } from "../management/base-url.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Events } from "../telemetry/events.ts"
import type { Admin } from "./admin/open.ts"
import { errorResponse, textHeaders } from "./responses.ts"
import type { ConsolePages } from "./console/serve-console.ts"
import { failure } from "./endpoint.ts"
import type { Lazy } from "./lazy.ts"
import { newRequestId } from "./request-id.ts"
import type { Connection, Mount } from "./server.ts"

/** Placeholder for the address in the OpenAPI document. The address differs between callers. */
const NO_ADDRESS = "https://address.invalid"

/** Paths whose requests may take a long time, such as the verification of a large ledger. */
const LONG_PATHS: ReadonlySet<string> = new Set(["/admin/v1/*", "/webhooks/stripe"])

export interface MountServices {
  readonly admin: Lazy<Admin>
  readonly events: Events
  /** The public address without `/v1`. */
  readonly baseUrl: BaseUrl
  /** Returns the path of the public address without a trailing slash. */
  readonly basePath: () => string
}

/** Mounts the management API, the console and the documentation. Each part is loaded with its first request. */
export function managementMounts(services: MountServices): Mount[] {
  const { admin, basePath } = services
  const toConsole = (): Response => {
    return new Response(null, { status: 302, headers: { location: `${basePath()}/console/` } })
  }
  let pages: ConsolePages | undefined
  let document: string | undefined
  const documents = new SharedBodies()
  const docsPages = new SharedBodies()
  const handlers: Readonly<Record<string, Mount["handler"]>> = {
    "/admin/v1/*": async (request, connection) => (await admin.get()).handler(request, connection),
    "/webhooks/stripe": async (request, connection) =>
      (await admin.get()).stripe(request, connection),
    "/console/*": async (request) => {
      pages ??= new (await import("./console/serve-console.ts")).ConsolePages({ basePath })
      return pages.respond(request)
    },
    "/console": reading(toConsole),
    "/": reading(toConsole),
    "/docs": reading(async ({ origin }) => {
      const { docsPage, DOCS_HEADERS } = await import("./docs/docs-page.ts")
      const address = services.baseUrl(origin)
      const body = docsPages.get(address, () => docsPage(address))
      return new Response(body, { headers: DOCS_HEADERS })
    }),
    "/openapi.json": reading(async ({ origin }) => {
      const { openApiDocument } = await import("./docs/openapi.ts")
      // The document is built once, because this takes as long as hundreds of requests, and the endpoint is public.
      const address = services.baseUrl(origin)
      const body = documents.get(address, () => {
        document ??= JSON.stringify(openApiDocument(NO_ADDRESS))
        return document.replace(NO_ADDRESS, () => address)
      })
      const headers = textHeaders(newRequestId(), { "cache-control": "no-cache" })
      return new Response(body, { headers })
    }),
  }
  return Object.entries(handlers).map(([path, handler]) => ({
    path,
    handler: failing(handler, services.events),
    isLong: LONG_PATHS.has(path),
  }))
}

/** Wraps a handler so that it rejects all methods except GET and HEAD. */
function reading(
  handler: (connection: Connection) => Response | Promise<Response>,
): Mount["handler"] {
  return (request, connection) => {
    if (request.method === "GET" || request.method === "HEAD") return handler(connection)
    const { pathname } = new URL(request.url)
    throw new GatewayError(
      "method_not_allowed",
      `${pathname} accepts GET and HEAD, not ${request.method}.`,
      { headers: { allow: "GET, HEAD" } },
    )
  }
}

/** Wraps a handler so that exceptions become responses. */
function failing(handler: Mount["handler"], events: Events): Mount["handler"] {
  return async (request, connection) => {
    try {
      return await handler(request, connection)
    } catch (thrown) {
      const { pathname: path } = new URL(request.url)
      const id = newRequestId()
      return failure(thrown, { request, id, path, errors: errorResponse, events })
    }
  }
}

/** Maximum bodies that are kept, one for each public address of the gateway. */
const MAX_BODIES = 8

/**
 * Bodies that many responses share. The runtime copies a string for each connection that does not read it, but not a
 * `Blob`.
 */
export class SharedBodies {
  readonly #bodies = new Map<string, Blob>()

  /**
   * Returns the body for a key.
   * @param build returns its text.
   */
  get(key: string, build: () => string): Blob {
    const known = this.#bodies.get(key)
    if (known !== undefined) return known
    if (this.#bodies.size >= MAX_BODIES) this.#bodies.clear()
    const body = new Blob([build()])
    this.#bodies.set(key, body)
    return body
  }
}
