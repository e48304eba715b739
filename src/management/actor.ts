import { reaches } from "#contract/roles.ts"
import { GatewayError } from "../canon/errors.ts"
import type { AccountRole } from "#contract/common.ts"

/** The caller of the management API, and what they may do. */
export interface Actor {
  readonly kind: "user" | "admin_token" | "command"
  /** The user's id; null for the admin token and for commands. */
  readonly id: string | null
  /** The name in the audit log and the ledger's entries: an e-mail address, `admin token`, `command line`. */
  readonly name: string
  /** The address that someone who is not signed in has typed, as their name. */
  readonly typed?: { readonly address: string }
  readonly isOperator: boolean
  /** Their role in each account that they belong to, by the account's id. */
  readonly roles: ReadonlyMap<string, AccountRole>
  /** The network address of the caller. */
  readonly address: string | null
  /** Where trusted proxies say that they reached this gateway: links lead there. */
  readonly origin?: string | undefined
  /** The request whose idempotency key these changes use up, if it has one. */
  readonly claim?: string
}

/** The person at the command line, who has access to the files and may do everything. */
export const COMMAND_LINE: Actor = {
  kind: "command",
  id: null,
  name: "command line",
  isOperator: true,
  roles: new Map(),
  address: null,
}

/** What someone may do, as text that `mayStill` reads. */
export function rightsOf({ isOperator, roles }: Actor): string {
  return JSON.stringify({ isOperator, roles: Object.fromEntries(roles) })
}

/** Whether someone still has all the rights that they had then. */
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

/** @throws GatewayError `forbidden`. */
export function requireOperator(actor: Actor): void {
  if (actor.isOperator) return
  throw new GatewayError("forbidden", "Only an operator of this gateway may do that.")
}

/** Whether they may see an account at all. */
export function maySee(actor: Actor, account: string): boolean {
  return actor.isOperator || actor.roles.has(account)
}

/**
 * Checks a role in an account. For someone who does not belong to the account, it does not exist.
 * @throws GatewayError `not_found` for strangers, `forbidden` for members whose role is too low.
 */
export function requireRole(actor: Actor, account: string, least: AccountRole): void {
  if (actor.isOperator) return
  const role = actor.roles.get(account)
  if (role === undefined) {
    throw new GatewayError("not_found", `There is no account '${account.slice(0, 100)}'.`)
  }
  if (reaches(role, least)) return
  throw new GatewayError(
    "forbidden",
    `You are a ${role} of this account, and only ${least === "owner" ? "an owner" : "a member"} may do that. Ask an owner.`,
  )
}
