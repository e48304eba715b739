import type { Key } from "tollgate-contract/keys.ts"
import { Status } from "../../ui/status.tsx"

/** Shows whether a key works. */
export function KeyStatus({ of: { status, is_paused: isPaused } }: { readonly of: Key }) {
  return <Status value={status === "active" && isPaused ? "paused" : status} />
}
