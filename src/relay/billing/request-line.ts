import { formatCredits } from "../../ledger/money.ts"
import type { PendingCharge } from "./pending-charge.ts"
import { type AttemptRecord, namedUsage } from "./receipt.ts"
import type { SettledRequest } from "./request-observer.ts"

/** A request that has ended, for the log: never with what was asked or answered, and without any secret. */
export interface RequestLine {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly endpoint: string
  readonly model: string
  /** As the caller named it, where that is not the model's id. */
  readonly requested_model?: string
  /** Null where nobody has answered. */
  readonly deployment: string | null
  readonly provider: string | null
  readonly stream: boolean
  readonly status: "settled" | "released"
  /** How the last attempt ended: `ok`, or as on the receipt; `none` without one. */
  readonly outcome: string
  /** When it arrived, ISO 8601. */
  readonly received_at: string
  readonly duration_ms: number
  readonly first_byte_ms: number | null
  readonly usage: Readonly<Record<string, number>> | null
  /** Whether that is our own count. */
  readonly estimated: boolean
  /** Credits as exact decimal text. */
  readonly cost: string
  readonly charged: string
  readonly written_off: string
  readonly attempts: readonly AttemptRecord[]
  /** What was lost in translation, by name. */
  readonly losses: readonly string[]
}

const NOTHING = "0"

/** The line of a request that is paid for. */
export function settledLine({
  charge,
  deployment,
  priced,
  settlement,
}: SettledRequest): RequestLine {
  return {
    ...commonOf(charge),
    deployment: deployment.id,
    provider: deployment.provider,
    status: "settled",
    usage: namedUsage(priced.usage),
    estimated: priced.estimated,
    cost: formatCredits(priced.cost.total),
    charged: formatCredits(settlement.charged),
    written_off: formatCredits(settlement.writtenOff),
  }
}

/** The line of a request that delivered nothing, and costs nothing. */
export function releasedLine(charge: PendingCharge): RequestLine {
  return {
    ...commonOf(charge),
    deployment: null,
    provider: null,
    status: "released",
    usage: null,
    estimated: false,
    cost: NOTHING,
    charged: NOTHING,
    written_off: NOTHING,
  }
}

function commonOf({ call, model, request, attempts, losses, firstByteAt }: PendingCharge) {
  const since = (moment: number): number => Math.round(moment - call.startedAt)
  return {
    request: call.id,
    account: call.key.account,
    key: call.key.id,
    endpoint: call.endpoint,
    model: model.id,
    ...(model.requestedAs !== undefined && { requested_model: model.requestedAs }),
    stream: request?.stream ?? false,
    outcome: attempts.at(-1)?.outcome ?? "none",
    received_at: new Date(call.receivedAt).toISOString(),
    duration_ms: since(performance.now()),
    first_byte_ms: firstByteAt === undefined ? null : since(firstByteAt),
    attempts: attempts.map(({ deployment, status, outcome, duration }) => ({
      deployment,
      status,
      outcome,
      duration,
    })),
    losses: losses.map(({ name }) => name),
  }
}
