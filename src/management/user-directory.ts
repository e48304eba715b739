import { accountNames } from "./stored-accounts.ts"
import type { BaseUrl } from "./base-url.ts"
import type { Page } from "#contract/common.ts"
import type { ResetLink, User } from "#contract/members.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Store } from "../store/store.ts"
import type { UserRecord } from "../store/users.ts"
import type { Users } from "../users/users.ts"
import { type Actor, requireOperator } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { type ExportedPerson, exportPerson } from "./person-export.ts"
import { pageFrom, type PageQuery, timePositionOf } from "./cursor.ts"
import type { InvitationDependencies } from "./invitations.ts"
import { momentOrNull, momentText } from "./moment-text.ts"

/** Maximum memberships of the users on one page, which is higher than any realistic number. */
const MAX_MEMBERSHIPS = 100_000

export interface UserChange {
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly is_operator?: boolean | undefined
  readonly is_disabled?: boolean | undefined
}

/** Manages all users of the gateway on behalf of its operators. */
export class UserDirectory {
  readonly #store: Store
  readonly #users: Users
  readonly #audit: Audit
  readonly #baseUrl: BaseUrl

  constructor(parts: InvitationDependencies) {
    this.#store = parts.store
    this.#users = parts.users
    this.#audit = parts.audit
    this.#baseUrl = parts.baseUrl
  }

  /** Lists users, oldest first. @throws GatewayError `forbidden`. */
  async list(
    actor: Actor,
    input: PageQuery & { readonly search?: string | undefined },
  ): Promise<Page<User>> {
    requireOperator(actor)
    const after = timePositionOf(input.cursor)
    const found = await this.#users.list({
      search: input.search,
      ...(after && { after: { createdAt: after.at, id: after.id } }),
      limit: input.limit + 1,
    })
    const page = pageFrom(found, input.limit, (user) => [user.createdAt, user.id])
    return { ...page, data: await this.#documents(page.data) }
  }

  /**
   * Changes a user.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` if the user is the actor or the last operator, or if the
   * email address is in use.
   */
  async change(actor: Actor, id: string, change: UserChange): Promise<User> {
    requireOperator(actor)
    const before = await this.#document(await this.#users.require(id))
    if (change.is_disabled === true && actor.id === id) {
      throw new GatewayError("conflict", "You cannot disable yourself. Ask another operator.", {
        parameter: "is_disabled",
      })
    }
    const changed = await this.#users.change(id, {
      ...(change.name !== undefined && { name: change.name }),
      ...(change.email !== undefined && { email: change.email }),
      ...(change.is_operator !== undefined && { isOperator: change.is_operator }),
      ...(change.is_disabled !== undefined && { isDisabled: change.is_disabled }),
    })
    const after = await this.#document(changed)
    await this.#audit.record(actor, {
      action: "user.change",
      target: id,
      before,
      after,
      about: { user: id },
    })
    return after
  }

  /**
   * Creates a link for setting a new password, for users who have lost theirs.
   * @param withoutTwoFactor whether to disable the second factor as well.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async reset(actor: Actor, id: string, withoutTwoFactor: boolean): Promise<ResetLink> {
    requireOperator(actor)
    const user = await this.#users.require(id)
    const { token, expiresAt } = await this.#users.createReset(id)
    if (withoutTwoFactor) await this.#users.removeTwoFactor(id)
    await this.#audit.record(actor, {
      action: "user.reset",
      target: id,
      after: { email: user.email, two_factor_removed: withoutTwoFactor },
      about: { user: id },
    })
    return {
      link: `${this.#baseUrl(actor.origin)}/console/reset?token=${token}`,
      expires_at: momentText(expiresAt),
    }
  }

  /**
   * Exports the data stored about a person, for operators and for the person. The export is recorded in the audit log.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async export(actor: Actor, id: string): Promise<ExportedPerson> {
    if (actor.id !== id) requireOperator(actor)
    const user = await this.#document(await this.#users.require(id))
    await this.#audit.record(actor, { action: "user.export", target: id })
    return exportPerson({ store: this.#store, users: this.#users, audit: this.#audit }, user)
  }

  async #document(user: UserRecord): Promise<User> {
    const [document] = await this.#documents([user])
    if (!document) throw new GatewayError("not_found", "There is no such user.")
    return document
  }

  async #documents(users: readonly UserRecord[]): Promise<User[]> {
    const ids = users.map(({ id }) => id)
    const members = await this.#store.members.list({ users: ids }, null, MAX_MEMBERSHIPS)
    const names = await accountNames(
      this.#store,
      members.map(({ account }) => account),
    )
    return users.map((user) => ({
      id: user.id,
      name: user.name,
      email: user.email,
      is_operator: user.isOperator,
      is_disabled: user.isDisabled,
      two_factor: user.hasTwoFactor,
      created_at: momentText(user.createdAt),
      last_seen_at: momentOrNull(user.lastSeenAt),
      accounts: members
        .filter((member) => member.user === user.id)
        .map(({ account, role }) => ({ id: account, name: names.get(account) ?? account, role })),
    }))
  }
}
