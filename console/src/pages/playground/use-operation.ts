import { useEffect, useRef, useState } from "react"
import { type CallFailure, failureOf, ownFailure } from "./call-failure.ts"
import type { SentOperation } from "./code/operation-samples.ts"
import type { JsonObject } from "./conversation.ts"
import { callGateway, type CallFacts, factsOf, receiptCost } from "./gateway-call.ts"
import { type Payer, withSecret } from "./secrets.ts"
import { usePayment } from "./use-payer.tsx"
import { t } from "../../languages/text.ts"

/** A request without streaming, with its result. */
export interface Operation<Result> {
  readonly isRunning: boolean
  readonly result: Result | undefined
  readonly facts: CallFacts | undefined
  readonly durationMs: number | null
  readonly failure: CallFailure | undefined
  /** The request that was sent, for "copy as code"; undefined for forms with files. */
  readonly sent: SentOperation | undefined
  /** Reason why no request can be sent. */
  readonly obstacle: string | undefined
  readonly send: (path: string, body: JsonObject | FormData) => void
  readonly stop: () => void
}

interface Outcome<Result> {
  readonly result?: Result
  readonly facts?: CallFacts
  readonly durationMs?: number
  readonly failure?: CallFailure
  readonly sent?: SentOperation
}

/** @param read converts the response to the result. */
export function useOperation<Result>(
  read: (response: Response) => Promise<Result>,
): Operation<Result> {
  const { payer, obstacle } = usePayment()
  const [isRunning, setRunning] = useState(false)
  const [outcome, setOutcome] = useState<Outcome<Result>>({})
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])

  async function send(payer: Payer, path: string, body: JsonObject | FormData): Promise<void> {
    const current = new AbortController()
    abort.current?.abort()
    abort.current = current
    const { signal } = current
    const startedAt = Date.now()
    setRunning(true)
    try {
      const response = await withSecret(payer, (secret) =>
        callGateway({ path, body, secret, signal }),
      )
      const result = await read(response)
      const facts = factsOf(response)
      if (signal.aborted) return
      const durationMs = Date.now() - startedAt
      const sent = body instanceof FormData ? {} : { sent: { path, body } }
      setOutcome({ result, facts, durationMs, ...sent })
      setRunning(false)
      const { requestId } = facts
      // Audio is sent before its cost is known. The receipt contains the cost shortly afterwards.
      if (facts.cost !== null || requestId === null) return
      const cost = await withSecret(payer, (secret) => receiptCost(requestId, secret))
      setOutcome((known) =>
        known.facts === facts ? { ...known, facts: { ...facts, cost } } : known,
      )
    } catch (thrown) {
      const isCurrent = abort.current === current
      if (!isCurrent) return
      setOutcome({
        failure: signal.aborted
          ? ownFailure("stopped", t("Stopped. Work the vendor had already done may be charged."))
          : failureOf(thrown),
      })
    } finally {
      if (abort.current === current) setRunning(false)
    }
  }

  return {
    isRunning,
    result: outcome.result,
    facts: outcome.facts,
    durationMs: outcome.durationMs ?? null,
    failure: outcome.failure,
    sent: outcome.sent,
    obstacle,
    send: (path, body) => {
      if (payer !== undefined) void send(payer, path, body)
    },
    stop: () => abort.current?.abort(),
  }
}
