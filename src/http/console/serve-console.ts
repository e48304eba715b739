import { GatewayError } from "../../canon/errors.ts"
import { errorResponse } from "../responses.ts"
import { newRequestId } from "../request-id.ts"
import { type BuiltConsole, type ConsoleFile, findConsole } from "./console-files.ts"

const CONSOLE_PATH = "/console/"

/** Files are cached for a year, the usual maximum. */
const CACHE_FOREVER = "public, max-age=31536000, immutable"
/** Files are cached, but revalidated on each use. */
const REVALIDATE = "no-cache"

/**
 * Restricts the console to its own resources and forbids framing. Inline styles are allowed, because Mantine sets sizes
 * and colors in `style` attributes. Inline scripts are not.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ")

const SAFETY = {
  "content-security-policy": CONTENT_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const

const FIRST_PAGE = "index.html"

export interface ConsoleParts {
  readonly find?: () => Promise<BuiltConsole | undefined>
  /** The path that precedes `/console/` in the browser; empty by default. */
  readonly basePath?: () => string
}

/** Serves the console's files at `/console/`. The files are loaded with the first request and after each new build. */
export class ConsolePages {
  readonly #find: () => Promise<BuiltConsole | undefined>
  readonly #basePath: () => string
  #built: BuiltConsole | undefined

  constructor({ find = () => findConsole(), basePath = () => "" }: ConsoleParts = {}) {
    this.#find = find
    this.#basePath = basePath
  }

  /** Responds to a request under `/console/`. */
  async respond(request: Request): Promise<Response> {
    if (request.method !== "GET" && request.method !== "HEAD") return wrongMethod(request)
    if (!this.#built?.isCurrent()) this.#built = await this.#find()
    const basePath = this.#basePath()
    if (!this.#built) return notBuilt(basePath)
    const { files } = this.#built
    const path = pathOf(request)
    const file = files.get(path) ?? (isPage(path) ? files.get(FIRST_PAGE) : undefined)
    if (file === undefined) return unknownFile(path)
    const isMoved = basePath !== "" && file === files.get(FIRST_PAGE)
    return fileResponse(request, isMoved ? await moved(file, basePath) : file)
  }
}

/**
 * Adds a base path to the addresses of scripts and styles in the first page. Scripts and styles resolve all other
 * addresses relative to their own addresses.
 */
async function moved(page: ConsoleFile, basePath: string): Promise<ConsoleFile> {
  const text = await page.content.text()
  const content = new Blob([text.replaceAll(`="${CONSOLE_PATH}`, `="${basePath}${CONSOLE_PATH}`)])
  return {
    ...page,
    content,
    gzipped: undefined,
    tag: `"${Bun.hash(basePath).toString(36)}-${page.tag.slice(1)}`,
  }
}

/** Returns the path of a file. An invalid path or URL leads to the console's first page. */
function pathOf(request: Request): string {
  try {
    const { pathname } = new URL(request.url)
    return decodeURIComponent(pathname.slice(CONSOLE_PATH.length)) || FIRST_PAGE
  } catch {
    return FIRST_PAGE
  }
}

/** Whether a path may be a page of the console, which the app selects in the browser. */
function isPage(path: string): boolean {
  return !path.startsWith("assets/")
}

function fileResponse(request: Request, file: ConsoleFile): Response {
  const headers = new Headers({ ...SAFETY, "content-type": file.type, vary: "accept-encoding" })
  headers.set("cache-control", file.isImmutable ? CACHE_FOREVER : REVALIDATE)
  if (file.tag !== "") headers.set("etag", file.tag)
  if (file.tag !== "" && hasCurrent(request, file.tag))
    return new Response(null, { status: 304, headers })
  if (file.gzipped === undefined || !acceptsGzip(request))
    return new Response(file.content, { headers })
  headers.set("content-encoding", "gzip")
  return new Response(file.gzipped, { headers })
}

function hasCurrent(request: Request, tag: string): boolean {
  const known = request.headers.get("if-none-match")?.split(",") ?? []
  return known.some((one) => one.trim().replace(/^W\//, "") === tag)
}

function acceptsGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding")?.split(",") ?? []
  return accepted.some((one) => {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase())
    return name === "gzip" && !parameters.some((part) => /^q=0(\.0*)?$/.test(part))
  })
}

function wrongMethod(request: Request): Response {
  const error = new GatewayError(
    "method_not_allowed",
    `The console accepts GET and HEAD, not ${request.method}.`,
    { headers: { allow: "GET, HEAD" } },
  )
  return safe(errorResponse(error, newRequestId()))
}

function unknownFile(path: string): Response {
  const error = new GatewayError(
    "not_found",
    `The console has no file '${path.slice(0, 200)}'. Reload the page, since the console was rebuilt.`,
  )
  return safe(errorResponse(error, newRequestId()))
}

function safe(response: Response): Response {
  for (const [name, value] of Object.entries(SAFETY)) response.headers.set(name, value)
  return response
}

const notBuiltPage = (basePath: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tollgate</title>
<h1>The console is not built yet</h1>
<p>Build it where the gateway's source is, then reload this page:</p>
<pre>npm run build:console</pre>
<p>The gateway itself works without it: <a href="${basePath}/docs">its endpoints</a>.</p>
</html>
`

function notBuilt(basePath: string): Response {
  return new Response(notBuiltPage(basePath), {
    status: 503,
    headers: { ...SAFETY, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  })
}
