import type { AccountRole, Page } from "#contract/common.ts"
import type { Member } from "#contract/members.ts"
import { StoreError } from "../store/store-error.ts"
import { GatewayError } from "../canon/errors.ts"
import type { MemberRecord } from "../store/members.ts"
import { type Store } from "../store/store.ts"
import type { UserName } from "../store/database.ts"
import type { Users } from "../users/users.ts"
import { type Actor, maySee, requireRole } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { pageFrom, type PageQuery, timePositionOf } from "./cursor.ts"

/** Manages the members of accounts and their roles. Names come from the users, and roles from the store. */
export class Members {
  readonly #store: Store
  readonly #users: Users
  readonly #audit: Audit

  constructor(store: Store, users: Users, audit: Audit) {
    this.#store = store
    this.#users = users
    this.#audit = audit
  }

  /** Lists members of one account or of all visible accounts, in the order in which they joined. */
  async list(
    actor: Actor,
    input: PageQuery & { readonly account?: string | undefined },
  ): Promise<Page<Member>> {
    const accounts = accountsOf(actor, input.account)
    const found = await this.#store.members.list(
      { accounts },
      timePositionOf(input.cursor),
      input.limit + 1,
    )
    const { data, next_cursor } = pageFrom(found, input.limit, ({ joinedAt, id }) => [joinedAt, id])
    const users = await this.#users.many(data.map(({ user }) => user))
    const members = data.map((member) => memberDocument(member, users.get(member.user)))
    return { object: "list", data: members, next_cursor }
  }

  /**
   * Changes the role of a member.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` for the last owner.
   */
  async change(actor: Actor, id: string, role: AccountRole): Promise<Member> {
    const member = await this.#requireOwned(actor, id)
    const user = (await this.#users.find(member.user)) ?? undefined
    const before = memberDocument(member, user)
    const about = { user: member.user }
    const change = { action: "member.change", account: member.account, target: id, before, about }
    const after = { ...before, role }
    const record = await rejecting(() =>
      this.#audit.perform(actor, { ...change, after }, (record) =>
        this.#store.members.changeRole(id, role, record),
      ),
    )
    return memberDocument(record, user)
  }

  /**
   * Removes a member.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` for the last owner.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    const member = await this.#requireOwned(actor, id)
    const before = memberDocument(member, (await this.#users.find(member.user)) ?? undefined)
    const about = { user: member.user }
    const change = { action: "member.remove", account: member.account, target: id, before, about }
    await rejecting(() =>
      this.#audit.perform(actor, change, (record) => this.#store.members.remove(id, record)),
    )
  }

  /** Returns a member that the actor may change. */
  async #requireOwned(actor: Actor, id: string): Promise<MemberRecord> {
    const member = await this.#store.members.find(id)
    if (!member || !maySee(actor, member.account)) throw noMember(id)
    requireRole(actor, member.account, "owner")
    return member
  }
}

/**
 * Returns the accounts that a list covers; undefined for all.
 * @throws GatewayError `not_found` for an account that the actor may not see.
 */
export function accountsOf(
  actor: Actor,
  account: string | undefined,
  minimumRole: AccountRole = "viewer",
): string[] | undefined {
  if (account !== undefined) {
    requireRole(actor, account, minimumRole)
    return [account]
  }
  if (actor.isOperator) return undefined
  const roles = [...actor.roles]
  return roles
    .filter(([, role]) => minimumRole === "viewer" || role === minimumRole)
    .map(([id]) => id)
}

/** Converts a member to its representation in the API. */
export function memberDocument(member: MemberRecord, user: UserName | undefined): Member {
  return {
    id: member.id,
    account: member.account,
    user: member.user,
    name: user?.name ?? "unknown user",
    email: user?.email ?? "",
    role: member.role,
    joined_at: new Date(member.joinedAt).toISOString(),
  }
}

async function rejecting<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.code === "not_found") throw noMember("")
    if (error.code !== "last_owner") throw error
    throw new GatewayError(
      "conflict",
      "This is the account's last owner. Make someone else an owner first.",
      { parameter: "role", cause: error },
    )
  }
}

function noMember(id: string): GatewayError {
  return new GatewayError("not_found", `There is no member '${id.slice(0, 100)}'.`)
}
