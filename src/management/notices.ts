import { MINUTE_MS } from "#contract/durations.ts"
import type { Page } from "#contract/common.ts"
import type {
  NewNoticeTarget,
  Notice,
  NoticeQuery,
  NoticeTarget,
  NoticeTargets,
  NoticeTargetWithSecret,
} from "#contract/notices.ts"
import { OPERATOR_NOTICES, TEST_NOTICE } from "#contract/notice-types.ts"
import { GatewayError } from "../canon/errors.ts"
import { randomText } from "../canon/random-text.ts"
import type { SecretCipher } from "../config/secret-cipher.ts"
import type { NoticeSettings } from "../config/sections/notices.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import type { Destination } from "../notices/channels/channel.ts"
import { newWebhookSecret } from "../notices/channels/webhook.ts"
import { encryptionContext } from "../notices/deliveries.ts"
import { messageOf, titleOf } from "../notices/message.ts"
import type { Notices as NoticeService } from "../notices/notices.ts"
import type { NoticeRecord, NoticeTarget as TargetRecord, NoticeChannel } from "../store/notices.ts"
import type { Store } from "../store/store.ts"
import { attemptKey, type AttemptLimits } from "../users/attempt-limits.ts"
import type { Users } from "../users/users.ts"
import type { NamedPerson } from "./personal-names.ts"
import { type Actor, maySee, requireOperator, requireRole, scopeOf } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { pageFrom, positionOf } from "./cursor.ts"
import { accountsOf } from "./members.ts"
import { foldedEmail } from "../accounting/email-address.ts"
import { isIP } from "node:net"
import * as z from "zod"
import { isPublicAddress } from "../wire/http/public-address.ts"
import { PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"

/** Maximum targets per account, because each notice is delivered to each target. */
const MAX_TARGETS = 10
/** Rate limits for tests of one target or email address, and of all targets of an account. */
const TESTS_PER_TARGET = { max: 5, window: 10 * MINUTE_MS }
const TESTS_PER_ACCOUNT = { max: 20, window: 10 * MINUTE_MS }
/**
 * Rate limit for targets that owners add to an account, because each new target may immediately receive a notice of a
 * low balance.
 */
const NEW_TARGETS = { max: 30, window: 60 * MINUTE_MS }

export interface NoticeManagementParts {
  readonly store: Store
  readonly audit: Audit
  readonly notices: NoticeService
  readonly cipher: Pick<SecretCipher, "encrypt">
  readonly users: Pick<Users, "many">
  readonly limits: AttemptLimits
  readonly settings: () => NoticeSettings
}

/** Manages notices and their targets. */
export class NoticeManagement {
  readonly #parts: NoticeManagementParts

  constructor(parts: NoticeManagementParts) {
    this.#parts = parts
  }

  /**
   * Lists notices, newest first.
   * @throws GatewayError `not_found` for an account that the actor may not see.
   */
  async list(actor: Actor, query: NoticeQuery): Promise<Page<Notice>> {
    const accounts = scopeOf(actor, query.account) ?? null
    const [position] = positionOf(query.cursor) ?? []
    const before = Number.isSafeInteger(position) ? Number(position) : null
    const { notices } = this.#parts.store
    const found = await notices.list(accounts, before, query.limit + 1)
    const page = pageFrom(found, query.limit, ({ number }) => [number])
    return { ...page, data: page.data.map(noticeDocument) }
  }

  /**
   * Lists the targets of one account or of all accounts that the actor owns. Operators also see the operator's targets.
   */
  async targets(actor: Actor, account: string | undefined): Promise<NoticeTargets> {
    const accounts = accountsOf(actor, account, "owner") ?? null
    const found = await this.#parts.store.notices.targets(accounts)
    return { object: "list", data: found.map(targetDocument) }
  }

  /**
   * Adds a target.
   * @throws GatewayError `forbidden`, `not_found`, `too_many_attempts`, `invalid_value` with the name of the field.
   */
  async add(actor: Actor, input: NewNoticeTarget): Promise<NoticeTargetWithSecret> {
    const { store, audit, cipher } = this.#parts
    const { account, channel, address } = input
    if (account === undefined) requireOperator(actor)
    else requireRole(actor, account, "owner")
    await this.#check(actor, input)
    if (account !== undefined && !actor.isOperator) {
      await this.#parts.limits.begin([{ key: attemptKey("new-targets", account), ...NEW_TARGETS }])
    }
    const id = `ntt_${randomText(16)}`
    const secret = channel === "webhook" ? newWebhookSecret() : undefined
    const destination: Destination = { address, ...(secret !== undefined && { secret }) }
    const target: TargetRecord = {
      id,
      account: account ?? null,
      channel,
      hint: hintOf(channel, address),
      encrypted: cipher.encrypt(encryptionContext(id), JSON.stringify(destination)),
      types: input.types ?? null,
      balanceBelow: input.balance_below === undefined ? null : parseCredits(input.balance_below),
      createdAt: Date.now(),
    }
    const after = targetDocument(target)
    const about = personAt(target)
    const change = {
      action: "notice_target.create",
      account: target.account,
      target: id,
      after,
      about,
    }
    await audit.perform(actor, change, (record) => store.notices.insertTarget(target, record))
    return { ...after, secret: secret ?? null }
  }

  /**
   * Removes a target.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    const { store, audit } = this.#parts
    const found = await this.#require(actor, id)
    const before = targetDocument(found)
    const about = personAt(found)
    const change = {
      action: "notice_target.remove",
      account: found.account,
      target: id,
      before,
      about,
    }
    await audit.perform(actor, change, (record) => store.notices.removeTarget(id, record))
  }

  /**
   * Sends a test notice to a target.
   * @throws GatewayError `forbidden`, `not_found`, `too_many_attempts`.
   */
  async test(actor: Actor, id: string): Promise<void> {
    const { limits, notices } = this.#parts
    const { account, channel, hint } = await this.#require(actor, id)
    // A target that is removed and added again has another id, so tests are also counted by account and email address.
    const place = channel === "email" ? foldedEmail(hint) : id
    await limits.begin([
      { key: attemptKey("notice-test", place), ...TESTS_PER_TARGET },
      { key: attemptKey("notice-tests", account ?? "operator"), ...TESTS_PER_ACCOUNT },
    ])
    const data = { asked_by: actor.name }
    await notices.raise({
      type: TEST_NOTICE,
      data,
      target: id,
      ...(account !== null && { account }),
    })
  }

  async #require(actor: Actor, id: string): Promise<TargetRecord> {
    const target = await this.#parts.store.notices.findTarget(id)
    const isSeen =
      target && (target.account === null ? actor.isOperator : maySee(actor, target.account))
    if (!isSeen) {
      throw new GatewayError("not_found", `There is no notice target '${id.slice(0, 100)}'.`)
    }
    if (target.account !== null) requireRole(actor, target.account, "owner")
    return target
  }

  async #check(actor: Actor, { account, channel, address, types }: NewNoticeTarget): Promise<void> {
    const settings = this.#parts.settings()
    const fault = addressFault(channel, address, settings)
    if (fault !== undefined) throw invalid("address", fault)
    if (account === undefined) return
    const foreign = types?.find((type) => OPERATOR_NOTICES.some((other) => other === type))
    if (foreign !== undefined) throw invalid("types", `'${foreign}' is for the operator only.`)
    if (channel === "email" && !actor.isOperator && !(await this.#isMember(account, address))) {
      throw invalid(
        "address",
        "Email is only sent to members of the account. Invite this person first.",
      )
    }
    const present = await this.#parts.store.notices.targets([account])
    if (present.length < MAX_TARGETS) return
    throw invalid(
      "account",
      `The account already has its maximum of ${MAX_TARGETS} targets. Remove one of them.`,
    )
  }

  /**
   * Whether an email address belongs to a member. Owners must not send email through the operator's server to arbitrary
   * addresses.
   */
  async #isMember(account: string, address: string): Promise<boolean> {
    const { store, users } = this.#parts
    const members = await store.members.list({ accounts: [account] }, null, 1_000)
    const found = await users.many(members.map(({ user }) => user))
    return [...found.values()].some(({ email }) => email === foldedEmail(address))
  }
}

function invalid(parameter: string, message: string): GatewayError {
  return new GatewayError("invalid_value", message, { parameter })
}

/** Returns the recipient of an email target. */
function personAt({ channel, hint }: TargetRecord): NamedPerson | undefined {
  return channel === "email" ? { address: hint } : undefined
}

function targetDocument(target: TargetRecord): NoticeTarget {
  const { id, account, channel, hint, types, balanceBelow, createdAt } = target
  return {
    id,
    account,
    channel,
    address: hint,
    types: types as NoticeTarget["types"],
    balance_below: balanceBelow === null ? null : formatCredits(balanceBelow),
    created_at: new Date(createdAt).toISOString(),
  }
}

function noticeDocument({ deliveries, ...record }: NoticeRecord): Notice {
  const { id, type, created_at, data } = messageOf(record, "")
  const title = titleOf({ id, type, created_at, data, account: null })
  return {
    id,
    account: record.account,
    type,
    created_at,
    title,
    data,
    deliveries: deliveries.map(({ at, ...delivery }) => ({
      ...delivery,
      at: new Date(at).toISOString(),
    })),
  }
}

const mailAddress = z.email().max(200)

/**
 * Returns the reason why an address cannot receive notices; undefined if it can. Name resolution is checked at each
 * delivery.
 */
function addressFault(
  channel: NoticeChannel,
  address: string,
  { mail, allowsPrivate }: NoticeSettings,
): string | undefined {
  if (channel === "email") {
    if (!mail)
      return "Email is not configured: the operator has to set notices.smtp and notices.from."
    return mailAddress.safeParse(address).success
      ? undefined
      : "'address' must be an email address."
  }
  try {
    const { protocol, hostname } = readWebAddress(address)
    if (allowsPrivate) return undefined
    if (protocol !== "https:") return "'address' must begin with https://."
    const host = hostname.replace(/^\[|\]$/g, "")
    const isPrivate = isIP(host) !== 0 && !isPublicAddress(host)
    return isPrivate ? "'address' is not on the public internet." : undefined
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    return `'address' cannot be used: ${error.message}.`
  }
}

/**
 * Returns the part of an address that may be shown. The path and query of an HTTP URL can be as secret as a password.
 */
function hintOf(channel: NoticeChannel, address: string): string {
  return channel === "email" ? address : `${readWebAddress(address).origin}/…`
}
