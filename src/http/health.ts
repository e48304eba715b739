import { serviceRoute } from "#contract/service-routes.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { LedgerError } from "../store/ledger-error.ts"
import type { Events } from "../telemetry/events.ts"
import { jsonResponse } from "./responses.ts"
import { anyone, noBody, serve } from "./endpoint.ts"
import type { Route } from "./server.ts"

const RETRY_AFTER_SECONDS = 1

/** `GET /healthz`: responds if the process works. */
export function healthz(events: Events): Route {
  return serve(
    {
      ...serviceRoute("GET /healthz"),
      auth: anyone,
      body: noBody,
      handle: ({ id }) => jsonResponse(id, { status: "ok" }),
    },
    events,
  )
}

export interface ReadinessServices {
  readonly ledger: Pick<Ledger, "failure">
  readonly isDraining: () => boolean
  readonly events: Events
}

/**
 * `GET /readyz`: whether the gateway can serve requests. It is not ready while it shuts down or cannot write to the
 * ledger.
 */
export function readyz({ ledger, isDraining, events }: ReadinessServices): Route {
  return serve(
    {
      ...serviceRoute("GET /readyz"),
      auth: anyone,
      body: noBody,
      handle({ id }) {
        if (isDraining()) return unready(id, "draining")
        const { failure } = ledger
        if (failure !== undefined) return unready(id, reasonOf(failure))
        return jsonResponse(id, { status: "ready" })
      },
    },
    events,
  )
}

/**
 * Returns the reason without the ledger's identity and location, because this endpoint is public. Identity and location
 * are only logged.
 */
function reasonOf(failure: unknown): string {
  const isDamaged = failure instanceof LedgerError && failure.code === "damaged"
  return isDamaged ? "the ledger is damaged" : "the ledger cannot be written"
}

function unready(id: string, reason: string): Response {
  return Response.json(
    { status: "unready", reason },
    {
      status: 503,
      headers: { "x-request-id": id, "request-id": id, "retry-after": String(RETRY_AFTER_SECONDS) },
    },
  )
}
