import { accountNames, noAccount } from "./stored-accounts.ts"
import type { BaseUrl } from "./base-url.ts"
import { createHash } from "node:crypto"
import type { AccountRole, Page } from "#contract/common.ts"
import type { Invitation, InvitationWithLink, OpenInvitation } from "#contract/members.ts"
import { StoreError } from "../store/store-error.ts"
import type { InvitationRecord } from "../store/invitations.ts"
import { GatewayError } from "../canon/errors.ts"
import { randomText } from "../canon/random-text.ts"
import type { Store } from "../store/store.ts"
import type { UserRecord } from "../store/users.ts"
import type { Users } from "../users/users.ts"
import { type Actor, maySee, requireRole, userActor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { pageFrom, type PageQuery, timePositionOf } from "./cursor.ts"
import { accountsOf } from "./members.ts"
import { toSentence } from "./sentence.ts"

/** Dependencies of services that invite people to accounts. */
export interface InvitationDependencies {
  readonly store: Store
  readonly users: Users
  readonly audit: Audit
  /** Returns the address of the gateway, for links. */
  readonly baseUrl: BaseUrl
}

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000
const TOKEN_LENGTH = 43

export interface InvitationInput {
  readonly account: string
  readonly email: string
  readonly role: AccountRole
}

/** The data that a new user enters. */
export interface Acceptance {
  readonly name?: string | undefined
  readonly password?: string | undefined
}

/** Manages invitations to accounts. The inviter sends the link to the invited person. */
export class Invitations {
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

  /** Lists open invitations of one account, or of all accounts to which the caller may invite people. */
  async list(
    actor: Actor,
    input: PageQuery & { readonly account?: string | undefined },
  ): Promise<Page<Invitation>> {
    const accounts = accountsOf(actor, input.account, "owner") ?? null
    const after = timePositionOf(input.cursor)
    const found = await this.#store.invitations.list(accounts, Date.now(), after, input.limit + 1)
    const page = pageFrom(found, input.limit, ({ createdAt, id }) => [createdAt, id])
    const names = await accountNames(
      this.#store,
      page.data.map(({ account }) => account),
    )
    const documents = page.data.map((invitation) => invitationDocument(invitation, names))
    const inviters = await this.#audit.names.decrypt(documents.map(({ invited_by: by }) => by))
    const data = documents.map((document, index) => ({
      ...document,
      invited_by: inviters[index] ?? document.invited_by,
    }))
    return { object: "list", data, next_cursor: page.next_cursor }
  }

  /**
   * Creates an invitation. Its link is only in this response.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` if the person already belongs to the account.
   */
  async create(
    actor: Actor,
    { account, email, role }: InvitationInput,
  ): Promise<InvitationWithLink> {
    requireRole(actor, account, "owner")
    await this.#requireNoMember(account, email)
    const token = randomText(TOKEN_LENGTH)
    const now = Date.now()
    const invitation: InvitationRecord = {
      id: `inv_${randomText(16)}`,
      account,
      email,
      role,
      invitedBy: await this.#audit.names.authorOf(actor),
      createdAt: now,
      expiresAt: now + LIFETIME_MS,
    }
    const names = await accountNames(this.#store, [account])
    if (!names.has(account)) throw noAccount(account)
    const document = invitationDocument(invitation, names)
    await rejecting(() =>
      this.#audit.perform(
        actor,
        {
          action: "invitation.create",
          account,
          target: invitation.id,
          after: document,
          about: { address: email },
        },
        (record) =>
          this.#store.invitations.insert({ ...invitation, tokenHash: hashOf(token) }, record),
      ),
    )
    return {
      ...document,
      invited_by: actor.name,
      link: `${this.#baseUrl(actor.origin)}/console/invitation?token=${token}`,
    }
  }

  /**
   * Deletes an invitation.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    const now = Date.now()
    const invitation = await this.#store.invitations.find(id, now)
    if (!invitation || !maySee(actor, invitation.account)) throw noInvitation()
    requireRole(actor, invitation.account, "owner")
    const before = invitationDocument(invitation, await this.#nameIn(invitation))
    const about = { address: invitation.email }
    const change = { action: "invitation.remove", account: invitation.account, target: id, before }
    await this.#audit.perform(actor, { ...change, about }, (record) =>
      this.#store.invitations.remove(id, now, record),
    )
  }

  /**
   * Returns an invitation as shown to the person who opens its link.
   * @throws GatewayError `not_found`.
   */
  async open(token: string): Promise<OpenInvitation> {
    const invitation = await this.#require(token)
    const document = invitationDocument(invitation, await this.#nameIn(invitation))
    const [inviter = ""] = await this.#audit.names.decrypt([document.invited_by])
    return {
      account_name: document.account_name,
      email: document.email,
      role: document.role,
      invited_by: inviter,
      expires_at: document.expires_at,
      is_registered: (await this.#users.findByEmail(invitation.email)) !== null,
    }
  }

  /**
   * Adds a member, who is the authenticated user or a new user.
   * @returns the user, and whether the user is new and therefore not signed in yet.
   * @throws GatewayError `not_found`; `not_signed_in`, `forbidden` and `conflict`, with instructions.
   */
  async accept(
    client: { readonly actor: Actor | undefined; readonly address: string | null },
    token: string,
    acceptance: Acceptance,
  ): Promise<{ readonly user: UserRecord; readonly isNew: boolean }> {
    const invitation = await this.#require(token)
    const known =
      client.actor?.kind === "user" ? await this.#users.find(client.actor.id ?? "") : null
    if (known && known.email !== invitation.email) throw somebodyElse(invitation.email)
    const user = known ?? (await this.#register(invitation, acceptance))
    await this.#join(invitation, user, client.address)
    return { user, isNew: known === null }
  }

  async #register(invitation: InvitationRecord, acceptance: Acceptance): Promise<UserRecord> {
    const { email } = invitation
    const { name, password } = acceptance
    if (await this.#users.findByEmail(email)) {
      throw new GatewayError(
        "conflict",
        `A user is already registered with ${email}. Sign in, and open the link again.`,
      )
    }
    if (name === undefined || password === undefined) throw isNew(name)
    return this.#users.create({ name, email, password })
  }

  async #join(
    invitation: InvitationRecord,
    user: UserRecord,
    address: string | null,
  ): Promise<void> {
    const { account, role } = invitation
    const member = {
      id: `mem_${randomText(16)}`,
      account,
      user: user.id,
      role,
      joinedAt: Date.now(),
    }
    const after = { user: user.id, email: user.email, role, invitation: invitation.id }
    await rejecting(() =>
      this.#audit.perform(
        userActor(user, new Map(), address),
        { action: "member.join", account, target: member.id, after, about: { user: user.id } },
        (record) => this.#store.invitations.accept(invitation.id, member, record),
      ),
    )
  }

  async #require(token: string): Promise<InvitationRecord> {
    const invitation = await this.#store.invitations.findByToken(hashOf(token), Date.now())
    if (invitation) return invitation
    throw noInvitation()
  }

  async #requireNoMember(account: string, email: string): Promise<void> {
    const user = await this.#users.findByEmail(email)
    if (!user) return
    const members = await this.#store.members.list(
      { accounts: [account], users: [user.id] },
      null,
      1,
    )
    if (members.length > 0) throw isMemberAlready(email)
  }

  #nameIn({ account }: InvitationRecord): Promise<ReadonlyMap<string, string>> {
    return accountNames(this.#store, [account])
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex")
}

function invitationDocument(
  invitation: InvitationRecord,
  names: ReadonlyMap<string, string>,
): Invitation {
  return {
    id: invitation.id,
    account: invitation.account,
    account_name: names.get(invitation.account) ?? invitation.account,
    email: invitation.email,
    role: invitation.role,
    invited_by: invitation.invitedBy,
    created_at: new Date(invitation.createdAt).toISOString(),
    expires_at: new Date(invitation.expiresAt).toISOString(),
  }
}

async function rejecting<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.code === "exists") throw isMemberAlready("You")
    if (error.code === "too_much") {
      throw new GatewayError("conflict", toSentence(error.message), { cause: error })
    }
    throw error.code === "not_found" ? noInvitation() : error
  }
}

function noInvitation(): GatewayError {
  return new GatewayError(
    "not_found",
    "This invitation was used, withdrawn or has expired. Ask for a new one.",
  )
}

function isMemberAlready(who: string): GatewayError {
  const verb = who === "You" ? "belong" : "belongs"
  return new GatewayError("conflict", `${who} already ${verb} to this account.`, {
    parameter: "email",
  })
}

function somebodyElse(email: string): GatewayError {
  return new GatewayError(
    "forbidden",
    `The invitation is for ${email}, and you are signed in with another address. Sign out first.`,
  )
}

function isNew(name: string | undefined): GatewayError {
  return new GatewayError(
    "missing_required_parameter",
    "You are a new user: enter your name and choose a password.",
    { parameter: name === undefined ? "name" : "password" },
  )
}
