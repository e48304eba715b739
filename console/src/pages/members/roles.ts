import type { AccountRole } from "tollgate-contract/common.ts"
import { t } from "../../languages/text.ts"

export interface RoleFacts {
  readonly value: AccountRole
  readonly label: string
  /** Describes the rights of the role. */
  readonly help: string
}

/** The roles in an account, highest first. */
export const ROLES: readonly RoleFacts[] = [
  { value: "owner", label: t("Owner"), help: t("Everything: keys, credits, members, statements.") },
  { value: "member", label: t("Member"), help: t("Creates keys and adds credits.") },
  { value: "viewer", label: t("Viewer"), help: t("Read-only access.") },
]

export function roleOf(value: string | null): AccountRole {
  return ROLES.find((role) => role.value === value)?.value ?? "viewer"
}
