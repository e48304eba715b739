import type { Exchange, RelayServices } from "../pipeline/exchange.ts"
import type { Plan } from "../chat/plan.ts"
import { StateRecorder } from "./state-recorder.ts"

const NOTHING: ReadonlySet<string> = new Set()

/**
 * Has the answer to a plan looked at, where its vendor keeps something that its caller could name: ids
 * reach a caller only in the vendor's own dialect. What was found goes into the book with the charge.
 */
export function recordState(
  { vendorState }: RelayServices,
  exchange: Exchange,
  plan: Plan,
): StateRecorder | undefined {
  const { bill, call, dialect } = exchange
  const upstream = plan.offer.dialect
  const isTold = upstream.id === dialect.id && !dialect.isOneWay
  const shape = isTold ? upstream.answerState?.(plan.body) : undefined
  if (shape !== undefined) {
    bill.recorder = new StateRecorder(vendorState, shape, {
      account: call.key.account,
      request: call.id,
      provider: plan.endpoint.provider,
      strange: bill.state?.strange ?? NOTHING,
    })
  } else if (bill.recorder !== undefined) bill.recorder = undefined
  return bill.recorder
}
