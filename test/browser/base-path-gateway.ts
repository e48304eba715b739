import { freePort } from "../support/free-port.ts"
import { createInstallation, startServing } from "../support/process.ts"
import { startIssuer } from "./issuer.ts"

/** The base path, below which the proxy serves the gateway. */
export const BASE = "/ai"
/** Headers that apply to a single connection. */
const OF_A_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "content-encoding"]

interface ReverseProxy extends Disposable {
  /** The port of the gateway that receives the requests. */
  gatewayPort: number
  /** The address, including the base path. */
  readonly url: string
  /** Paths outside the base path that a browser requested. */
  readonly escaped: readonly string[]
}

/**
 * Starts a reverse proxy that serves a gateway under a path. Like nginx, it removes the path if `proxy_pass` ends with
 * a slash.
 */
function startReverseProxy(stripsPath: boolean): ReverseProxy {
  const escaped: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname !== BASE && !pathname.startsWith(`${BASE}/`)) {
        escaped.push(pathname)
        return new Response(null, { status: 404 })
      }
      const path = stripsPath ? pathname.slice(BASE.length) || "/" : pathname
      const { method, headers, body, signal } = request
      const response = await fetch(`http://127.0.0.1:${proxy.gatewayPort}${path}${search}`, {
        method,
        headers,
        body,
        signal,
        redirect: "manual",
      })
      const kept = new Headers(response.headers)
      for (const name of OF_A_CONNECTION) kept.delete(name)
      return new Response(response.body, { status: response.status, headers: kept })
    },
  })
  const proxy: ReverseProxy = {
    gatewayPort: 0,
    url: `http://127.0.0.1:${server.port}${BASE}`,
    escaped,
    [Symbol.dispose]: () => void server.stop(true),
  }
  return proxy
}

/** The two ways in which a proxy passes paths to the gateway, with whether it strips the base path. */
export const PROXIES = [
  ["removes the base path", true],
  ["keeps the base path", false],
] as const

/** Starts a gateway with an issuer behind a proxy. */
export async function startBehind(stripsPath: boolean) {
  await using starting = new AsyncDisposableStack()
  const proxy = starting.use(startReverseProxy(stripsPath))
  const issuer = starting.use(await startIssuer())
  await issuer.admit(proxy.url)
  const installation = starting.use(
    createInstallation(`server: { public_url: "${proxy.url}/" }\n${issuer.yaml}`),
  )
  // The output of the gateway contains only the public address.
  const port = freePort()
  const gateway = starting.use(await startServing(installation, { TOLLGATE_PORT: String(port) }))
  proxy.gatewayPort = port
  const parts = starting.move()
  return {
    proxy,
    issuer,
    installation,
    own: `http://127.0.0.1:${port}`,
    output: gateway.output(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
