import { serviceRoute } from "#contract/service-routes.ts"
import { GatewayError } from "../canon/errors.ts"
import type { MetricSettings } from "../config/sections/metrics.ts"
import { hasMetricsToken, METRICS_TYPE } from "../metrics/metrics-port.ts"
import type { Events } from "../telemetry/events.ts"
import { noBody, type Sender, serve } from "./endpoint.ts"
import type { Route } from "./server.ts"

export interface MetricsServices {
  readonly settings: () => { readonly metrics?: MetricSettings }
  /** Returns all metrics as text; undefined if metrics are disabled. */
  readonly metricsText: (() => Promise<string>) | undefined
  readonly events: Events
}

/** `GET /metrics`. Served if the endpoint is protected by a token and no separate port is configured. */
export function metrics({ settings, metricsText, events }: MetricsServices): Route {
  return serve(
    {
      ...serviceRoute("GET /metrics"),
      auth({ headers }): Sender {
        const { metrics: own } = settings()
        if (own?.token === undefined || own.port !== undefined || !metricsText) throw notServed()
        if (!hasMetricsToken(headers, own.token)) throw tokenMissing()
        return {}
      },
      body: noBody,
      async handle({ id }) {
        const headers = {
          "content-type": METRICS_TYPE,
          "x-request-id": id,
          "cache-control": "no-store",
        }
        return new Response(await metricsText?.(), { headers })
      },
    },
    events,
  )
}

function notServed(): GatewayError {
  return new GatewayError(
    "not_found",
    "Metrics are not served here. Set metrics.token, or metrics.port for a separate port.",
  )
}

function tokenMissing(): GatewayError {
  return new GatewayError("not_signed_in", "Send metrics.token as a bearer token.")
}
