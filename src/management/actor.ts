import { reaches } from "tollgate-contract/roles.ts"
import { GatewayError } from "../canon/errors.ts"
import type { AccountRole } from "tollgate-contract/common.ts"

/** Who asks the management API for something, and what they may do. */
export interface Actor {
  readonly kind: "user" | "admin_token" | "command"
  /** The user's id; null for the admin token and for commands. */
  readonly id: string | null
  /** As the audit log and the ledger's entries name them: an e-mail address, `admin token`, `command line`. */
  readonly name: string
  readonly isOperator: boolean
  /** What they are in each account that they belong to, by the account's id. */
  readonly roles: ReadonlyMap<string, AccountRole>
  /** The network address that they come from. */
  readonly address: string | null
  /** The request whose idempotency key these changes use up, where one was sent. */
  readonly claim?: string
}

/** The person at the command line, who has the files and may do everything. */
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

/** Whether someone may still do all that they could once. */
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
 * What an account is to someone who does not belong to it: nothing that exists.
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
