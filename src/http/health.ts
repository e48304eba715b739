import type { Ledger } from "../ledger/ledger.ts"

/** `GET /healthz`: the process answers. */
export function healthz(): Response {
  return Response.json({ status: "ok" })
}

/** `GET /readyz`: it can serve requests: not while it drains, not while the book cannot be written. */
export function readyz(services: { readonly ledger: Ledger; readonly draining: () => boolean }) {
  return function handle(): Response {
    if (services.draining()) return unready("draining")
    if (services.ledger.failure !== undefined) return unready("the book cannot be written")
    return Response.json({ status: "ready" })
  }
}

function unready(reason: string): Response {
  return Response.json({ status: "unready", reason }, { status: 503 })
}
