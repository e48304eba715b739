import type { Health } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"

/**
 * How something does: what rests now is resting, then what the stored requests say. The gateway's own memory ends with
 * it, so it counts only where nothing is stored.
 */
export function healthState(
  state: Health["state"],
  history: ReliabilityRow | undefined,
): Health["state"] {
  return state === "resting" ? state : (history?.state ?? state)
}

/** The words for a state. */
export function stateWord(state: Health["state"]): string {
  return state === "unknown" ? "no recent calls" : state
}
