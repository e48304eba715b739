import { type Actor, requireRole } from "./actor.ts"

/**
 * The accounts that a report covers: one, or all that the actor may see.
 * @returns undefined for all accounts.
 * @throws GatewayError `not_found` for an account that is not theirs.
 */
export function scopeOf(actor: Actor, account: string | undefined): readonly string[] | undefined {
  if (account !== undefined) {
    requireRole(actor, account, "viewer")
    return [account]
  }
  return actor.isOperator ? undefined : [...actor.roles.keys()]
}
