import { type Actor, requireRole } from "./actor.ts"

/**
 * Returns the accounts of a report, which are one account or all visible accounts.
 * @returns undefined for all accounts.
 * @throws GatewayError `not_found` for an account that the actor may not see.
 */
export function scopeOf(actor: Actor, account: string | undefined): readonly string[] | undefined {
  if (account !== undefined) {
    requireRole(actor, account, "viewer")
    return [account]
  }
  return actor.isOperator ? undefined : [...actor.roles.keys()]
}
