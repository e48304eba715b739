import type { MetricSettings } from "../config/sections/metrics.ts"
import { isSameSecret } from "../secrets/same-secret.ts"

const BEARER = /^bearer +(?<token>\S+)$/i
/** Prometheus' text format. @see https://prometheus.io/docs/instrumenting/exposition_formats */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/**
 * Serves metrics on a separate port.
 * @throws Error if the port is unavailable.
 */
export function serveMetrics(
  { host, port = 0, token }: MetricSettings,
  text: () => Promise<string>,
): Bun.Server<undefined> {
  return Bun.serve({
    hostname: host,
    port,
    async fetch(request) {
      if (new URL(request.url).pathname !== "/metrics") return new Response(null, { status: 404 })
      if (request.method !== "GET") return new Response(null, { status: 405 })
      if (token !== undefined && !hasMetricsToken(request.headers, token)) {
        return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } })
      }
      return new Response(await text(), { headers: { "content-type": METRICS_TYPE } })
    },
    error: () => new Response(null, { status: 500 }),
  })
}

/** Whether a request has the token for reading metrics. */
export function hasMetricsToken(headers: Headers, token: string): boolean {
  const sent = BEARER.exec(headers.get("authorization") ?? "")?.groups?.token
  return sent !== undefined && isSameSecret(sent, token)
}
