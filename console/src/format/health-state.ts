import type { Health } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"

/**
 * Returns the state to display: `cooling_down` during a cooldown, otherwise the state computed from stored
 * requests. The state in the gateway's memory is lost on restart, so it is used only if no requests are stored.
 */
export function healthState(
  state: Health["state"],
  history: ReliabilityRow | undefined,
): Health["state"] {
  return state === "cooling_down" ? state : (history?.state ?? state)
}

/** Returns the code of a state to display. Without requests, the state is unknown. */
export function stateCode(state: Health["state"]): string {
  return state === "unknown" ? "no_recent_calls" : state
}
