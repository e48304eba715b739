import type { Key } from "tollgate-contract/keys.ts"
import { Status } from "../../ui/status.tsx"
import { t } from "../../languages/text.ts"

type Rejection = NonNullable<Key["rejected_with"]>

/** The state of a key whose requests are rejected, and the next step. */
const STATES: Readonly<Record<Exclude<Rejection, "invalid_api_key">, readonly [string, string]>> = {
  account_paused: [t("account suspended"), t("The account is suspended. Ask the operator.")],
  account_closed: [t("account closed"), t("The account is closed. Ask the operator.")],
  key_paused: [t("paused"), t("The key is paused. Resume it in its menu.")],
  key_read_only: [t("read-only"), t("The key can only read. It pays for no requests.")],
  insufficient_credits: [t("no credits"), t("The account has no credits. Add credits.")],
  account_budget_exceeded: [
    t("account budget used up"),
    t("The budget of the account is used up. Raise it, or wait until it renews."),
  ],
  key_budget_exceeded: [
    t("budget used up"),
    t("A budget of the key is used up. Raise it, or wait until it renews."),
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
