import { type Actor, requireRole } from "./actor.ts"

/**
 * Whose things a report is of: one account's, or of all accounts that they may see.
 * @returns undefined for everyone's.
 * @throws GatewayError `not_found` for an account that is not theirs.
 */
export function scopeOf(actor: Actor, account: string | undefined): readonly string[] | undefined {
  if (account !== undefined) {
    requireRole(actor, account, "viewer")
    return [account]
  }
  return actor.isOperator ? undefined : [...actor.roles.keys()]
}
