import type { ChatContext } from "./chat-context.ts"
import type { Plan } from "./plan.ts"
import { StateRecorder } from "../state/state-recorder.ts"
import type { VendorState } from "../state/vendor-state.ts"

const NOTHING: ReadonlySet<string> = new Set()

/**
 * Records the vendor state in the response to a plan if the caller could refer to it later. Ids of state only reach a
 * caller in the vendor's own dialect. The recorded state is written to the ledger together with the charge.
 */
export function recordState(
  vendorState: VendorState,
  { charge, call, dialect }: ChatContext,
  plan: Plan,
): StateRecorder | undefined {
  const upstream = plan.binding.dialect
  const isReported = upstream.id === dialect.id && !dialect.isOneWay
  const shape = isReported ? upstream.responseState?.(plan.body) : undefined
  if (shape !== undefined) {
    charge.recorder = new StateRecorder(vendorState, shape, {
      account: call.key.account,
      request: call.id,
      provider: plan.client.credentialId,
      unowned: charge.state?.unowned ?? NOTHING,
    })
  } else if (charge.recorder !== undefined) charge.recorder = undefined
  return charge.recorder
}

/** Whether the vendor of a plan stores state of its response, even if the caller does not see the id. */
export function isKeptByVendor(plan: Plan): boolean {
  return plan.binding.dialect.responseState?.(plan.body) !== undefined
}
