/** Roles of users in an account. Each role includes the rights of the roles after it. */
export const ACCOUNT_ROLES = ["owner", "member", "viewer"] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

/** Operators run the gateway and have all rights. */
type Role = "operator" | AccountRole
const FROM_THE_HIGHEST: readonly Role[] = ["operator", ...ACCOUNT_ROLES]

/** Reports whether a role includes the rights of another role. */
export function reaches(role: Role, needed: Role): boolean {
  return FROM_THE_HIGHEST.indexOf(role) <= FROM_THE_HIGHEST.indexOf(needed)
}
