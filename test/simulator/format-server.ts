import { Exchange, SimulatorState } from "../../simulator/exchange.ts"
import type { WireFormat } from "../../simulator/format.ts"
import type { RecordedRequest } from "../../simulator/request-log.ts"

/** A server for one wire format. */
export interface FormatServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Number of requests that are currently being answered. */
  readonly open: number
  post(path: string, body: unknown, init?: PostOptions): Promise<Response>
}

export interface PostOptions {
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** Serves one format as the simulator does, without the other formats. */
export function serveFormat(format: WireFormat, cadence = 0): FormatServer {
  const state = new SimulatorState(cadence)
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      const response = format.match(request.method, pathname)
      if (response === undefined) return new Response("no such path", { status: 404 })
      return response(new Exchange(request, pathname + search, state))
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    requests: state.log.requests,
    get open() {
      return state.open.size
    },
    post: (path, body, { headers = {}, signal = new AbortController().signal } = {}) =>
      fetch(url + path, {
        method: "POST",
        headers: { authorization: "Bearer any", "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
        redirect: "manual",
        signal,
      }),
    async [Symbol.asyncDispose]() {
      for (const exchange of state.open) exchange.abort()
      await server.stop(true)
    },
  }
}

/** Returns the dotted paths of all keys, each once. Entries of arrays are merged. */
export function keySet(value: unknown): string[] {
  return [...new Set(keysOf(value, ""))].toSorted()
}

function keysOf(value: unknown, prefix: string): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => keysOf(entry, `${prefix}[]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}.${key}`,
    ...keysOf(inner, `${prefix}.${key}`),
  ])
}

/** A red image of 8 by 8 pixels in base64. */
export const SMALL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC"

/** A text with so many tokens that its prompt is cached. */
export const LONG_TEXT = "the long story goes on and on ".repeat(400)
