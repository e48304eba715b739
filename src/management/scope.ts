import { type Actor, requireRole } from "./actor.ts"

/**
 * Returns the accounts of a report: one account, or all visible ones.
 * @returns undefined for all accounts.
 * @throws GatewayError `not_found` for an invisible account.
 */
export function scopeOf(actor: Actor, account: string | undefined): readonly string[] | undefined {
  if (account !== undefined) {
    requireRole(actor, account, "viewer")
    return [account]
  }
  return actor.isOperator ? undefined : [...actor.roles.keys()]
}
