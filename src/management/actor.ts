import { noAccount } from "./stored-accounts.ts"
import { reaches } from "#contract/roles.ts"
import { GatewayError } from "../canon/errors.ts"
import type { AccountRole } from "#contract/common.ts"
import type { UserRecord } from "../store/users.ts"

/** The caller of the management API, with the caller's permissions. */
export interface Actor {
  readonly kind: "user" | "admin_token" | "command"
  /** The user's id; null for the admin token and for commands. */
  readonly id: string | null
  /** The name in the audit log and the ledger's entries: an email address, `admin token`, `command line`. */
  readonly name: string
  /** The email address that an unauthenticated person typed. */
  readonly typed?: { readonly address: string }
  readonly isOperator: boolean
  /** Whether the setting `console.show_costs_to` hides multipliers, providers and deployments from the caller. */
  readonly hidesCosts?: boolean
  /** The role in each account of the user, by account id. */
  readonly roles: ReadonlyMap<string, AccountRole>
  /** The network address of the caller. */
  readonly address: string | null
  /** The origin of the request as reported by trusted proxies, used for links. */
  readonly origin?: string | undefined
  /** The claim of the request's idempotency key, which these changes use up; absent without a key. */
  readonly claim?: string
}

/** The user of the command line. This user has access to the files, so all actions are allowed. */
export const COMMAND_LINE: Actor = {
  kind: "command",
  id: null,
  name: "command line",
  isOperator: true,
  roles: new Map(),
  address: null,
}

/** Serializes the permissions of an actor for `mayStill`. */
export function rightsOf({ isOperator, roles }: Actor): string {
  return JSON.stringify({ isOperator, roles: Object.fromEntries(roles) })
}

/** Whether an actor still has all of the given permissions. */
export function mayStill(actor: Actor, rights: string): boolean {
  const once = JSON.parse(rights) as Rights
  if (actor.isOperator) return true
  if (once.isOperator) return false
  return Object.entries(once.roles).every(([account, role]) => {
    const now = actor.roles.get(account)
    return now !== undefined && reaches(now, role)
  })
}

interface Rights {
  readonly isOperator: boolean
  readonly roles: Readonly<Record<string, AccountRole>>
}

/**
 * Requires an operator.
 * @throws GatewayError `forbidden`.
 */
export function requireOperator(actor: Actor): void {
  if (actor.isOperator) return
  throw new GatewayError("forbidden", "Only an operator of this gateway may do that.")
}

/** Whether an actor may see an account. */
export function maySee(actor: Actor, account: string): boolean {
  return actor.isOperator || actor.roles.has(account)
}

/**
 * Requires a role in an account. To users outside of the account, the account appears missing.
 * @throws GatewayError `not_found` for users outside of the account, `forbidden` for members with a lower role.
 */
export function requireRole(actor: Actor, account: string, minimumRole: AccountRole): void {
  if (actor.isOperator) return
  const role = actor.roles.get(account)
  if (role === undefined) throw noAccount(account)
  if (reaches(role, minimumRole)) return
  throw new GatewayError(
    "forbidden",
    `You are a ${role} of this account, and only ${minimumRole === "owner" ? "an owner" : "a member"} may do that. Ask an owner.`,
  )
}

/** Converts a user to an actor. Records name the actor by email address. */
export function userActor(
  user: UserRecord,
  roles: ReadonlyMap<string, AccountRole>,
  address: string | null,
): Actor {
  return {
    kind: "user",
    id: user.id,
    name: user.email,
    isOperator: user.isOperator,
    roles,
    address,
  }
}

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
