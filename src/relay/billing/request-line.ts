import { formatCredits } from "../../ledger/money.ts"
import type { PendingCharge } from "./pending-charge.ts"
import { type AttemptRecord, lastNeeded, modelNames, namedUsage } from "./receipt.ts"
import type { SettledRequest } from "./request-observer.ts"

const NO_LOSSES: readonly string[] = []

/** A completed request in the form of a log line. It never contains a prompt, a response or a secret. */
export interface RequestLine {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly endpoint: string
  readonly model: string
  /** The requested name, if it differs from the model's id. */
  readonly requested_model: string | undefined
  /** The deployment that responded; null if no deployment responded. */
  readonly deployment: string | null
  readonly provider: string | null
  readonly stream: boolean
  readonly status: "settled" | "released"
  /** Outcome of the last attempt: `ok`, or the outcome on the receipt; `none` if no call was made. */
  readonly outcome: string
  /** Arrival time in ISO 8601. */
  readonly received_at: string
  readonly duration_ms: number
  readonly first_byte_ms: number | null
  readonly usage: Readonly<Record<string, number>> | null
  /** Whether `usage` is the gateway's own count. */
  readonly estimated: boolean
  /** Cost in credits as exact decimal text. */
  readonly cost: string
  readonly charged: string
  readonly written_off: string
  readonly attempts: readonly AttemptRecord[]
  /** Names of the losses in translation. */
  readonly losses: readonly string[]
}

/** Returns the log line of a charged request. */
export function settledLine(request: SettledRequest): RequestLine {
  return lineOf(request.charge, request.endedAt, request)
}

/** Returns the log line of a request that delivered nothing and costs nothing. */
export function releasedLine(charge: PendingCharge, endedAt: number): RequestLine {
  return lineOf(charge, endedAt)
}

/**
 * Builds the line as one object literal, because merging objects takes several times as long and every request has a
 * line.
 */
function lineOf(charge: PendingCharge, endedAt: number, settled?: SettledRequest): RequestLine {
  const { call, model, request, attempts, losses, firstByteAt } = charge
  const { id, key, endpoint, startedAt, receivedAt } = call
  const cost = settled?.priced.cost.total ?? 0n
  const charged = settled?.settlement.charged ?? 0n
  const costText = creditsText(cost)
  const { answered, asked } = modelNames(model, settled?.deployment)
  return {
    request: id,
    account: key.account,
    key: key.id,
    endpoint,
    model: answered,
    requested_model: asked === answered ? undefined : asked,
    deployment: settled?.deployment.id ?? null,
    provider: settled?.deployment.provider ?? null,
    stream: request?.stream ?? false,
    status: settled === undefined ? "released" : "settled",
    outcome: lastNeeded(attempts)?.outcome ?? "none",
    received_at: new Date(receivedAt).toISOString(),
    duration_ms: Math.round(endedAt - startedAt),
    first_byte_ms: firstByteAt === undefined ? null : Math.round(firstByteAt - startedAt),
    usage: settled === undefined ? null : namedUsage(settled.priced.usage),
    estimated: settled?.priced.estimated ?? false,
    cost: costText,
    charged: charged === cost ? costText : creditsText(charged),
    written_off: creditsText(settled?.settlement.writtenOff ?? 0n),
    attempts: attempts.map(({ deployment, status, outcome, duration }) => ({
      deployment,
      status,
      outcome,
      duration,
    })),
    losses: losses.length === 0 ? NO_LOSSES : losses.map(({ name }) => name),
  }
}

function creditsText(nanocredits: bigint): string {
  return nanocredits === 0n ? "0" : formatCredits(nanocredits)
}
