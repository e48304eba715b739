import type { Key } from "tollgate-contract/keys.ts"
import { Status } from "../../ui/status.tsx"

type Rejection = NonNullable<Key["rejected_with"]>

/** The state of a key whose requests are rejected, and the next step. */
const STATES: Readonly<Record<Exclude<Rejection, "invalid_api_key">, readonly [string, string]>> = {
  account_paused: ["account suspended", "The account is suspended. Ask the operator."],
  account_closed: ["account closed", "The account is closed. Ask the operator."],
  key_paused: ["paused", "The key is paused. Resume it in its menu."],
  key_read_only: ["read-only", "The key can only read. It pays for no requests."],
  insufficient_credits: ["no credits", "The account has no credits. Add credits."],
  account_budget_exceeded: [
    "account budget used up",
    "The budget of the account is used up. Raise it, or wait until it renews.",
  ],
  key_budget_exceeded: [
    "budget used up",
    "A budget of the key is used up. Raise it, or wait until it renews.",
  ],
}

/** The states that are set on purpose. */
const INTENDED: ReadonlySet<Rejection> = new Set<Rejection>(["key_paused", "key_read_only"])

/** Shows the state of a key, or the reason why its requests are rejected. */
export function KeyStatus({ of: { status, rejected_with: code } }: { readonly of: Key }) {
  if (code === null || code === "invalid_api_key") return <Status value={status} />
  const [state, step] = STATES[code]
  return <Status value={state} title={step} color={INTENDED.has(code) ? "yellow" : "red"} />
}
