import type { AccountRole } from "tollgate-contract/common.ts"

export interface RoleFacts {
  readonly value: AccountRole
  readonly label: string
  /** Describes the rights of the role. */
  readonly help: string
}

/** The roles in an account, highest first. */
export const ROLES: readonly RoleFacts[] = [
  { value: "owner", label: "Owner", help: "Everything: keys, credits, members, statements." },
  { value: "member", label: "Member", help: "Creates keys and adds credits." },
  { value: "viewer", label: "Viewer", help: "Read-only access." },
]

export function roleOf(value: string | null): AccountRole {
  return ROLES.find((role) => role.value === value)?.value ?? "viewer"
}
