/** What users may be in an account; each may do all that those after it may. */
export const ACCOUNT_ROLES = ["owner", "member", "viewer"] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

/** An operator runs the gateway and may do everything. */
type Role = "operator" | AccountRole
const FROM_THE_HIGHEST: readonly Role[] = ["operator", ...ACCOUNT_ROLES]

/** Whether a role may do what needs another one. */
export function reaches(role: Role, needed: Role): boolean {
  return FROM_THE_HIGHEST.indexOf(role) <= FROM_THE_HIGHEST.indexOf(needed)
}
