import type { Ledger } from "../ledger/ledger.ts"
import { BookError } from "../store/book-error.ts"
import { jsonAnswer } from "./answers.ts"
import { newRequestId } from "./request-id.ts"

/** Seconds after which it is worth looking again. */
const RETRY_AFTER = 1

/** `GET /healthz`: the process answers. */
export function healthz(): Response {
  return jsonAnswer(newRequestId(), { status: "ok" })
}

/** `GET /readyz`: it can serve requests: not while it drains, not while the book cannot be written. */
export function readyz(services: { readonly ledger: Ledger; readonly draining: () => boolean }) {
  return function handle(): Response {
    if (services.draining()) return unready("draining")
    const { failure } = services.ledger
    if (failure !== undefined) return unready(reasonOf(failure))
    return jsonAnswer(newRequestId(), { status: "ready" })
  }
}

/** Which book it is, and where, is for the log: anybody may ask here. */
function reasonOf(failure: unknown): string {
  const isDamaged = failure instanceof BookError && failure.code === "damaged"
  return isDamaged ? "the book is damaged" : "the book cannot be written"
}

function unready(reason: string): Response {
  const id = newRequestId()
  return Response.json(
    { status: "unready", reason },
    {
      status: 503,
      headers: { "x-request-id": id, "request-id": id, "retry-after": String(RETRY_AFTER) },
    },
  )
}
