import type * as z from "zod"
import type { Page } from "#contract/common.ts"
import type { AuditRecord as AuditDocument, auditQuery } from "#contract/operations.ts"
import type { AuditRecord } from "../accounting/chained-records.ts"
import { ERASED } from "../accounting/redaction.ts"
import { GatewayError } from "../canon/errors.ts"
import type { AuditSearch } from "../store/audit.ts"
import type { Store } from "../store/store.ts"
import type { Users } from "../users/users.ts"
import { type Actor, requireRole } from "./actor.ts"
import { type Audit, decryptRecords, type ReadableRecord } from "./audit.ts"
import { pageFrom, positionOf } from "./cursor.ts"
import { boundedRows } from "./pages.ts"
import type { PersonalNames } from "./personal-names.ts"

export type AuditQuery = z.output<typeof auditQuery>

/** Maximum users whose names match a text. It is higher than any realistic number. */
const MAX_USERS = 1_000
/** Maximum people whom a search includes. Each of them is compared with each record. */
const MAX_SEARCHED_USERS = 20

/** Reads the audit log. Operators see all records, and owners see the records of their accounts. */
export class AuditLog {
  readonly #store: Store
  readonly #names: PersonalNames
  readonly #users: Pick<Users, "list">

  constructor(store: Store, { names }: Audit, users: Pick<Users, "list">) {
    this.#store = store
    this.#names = names
    this.#users = users
  }

  /** Lists records, newest first. @throws GatewayError `not_found`, or `forbidden` for callers who own no account. */
  async list(actor: Actor, query: AuditQuery): Promise<Page<AuditDocument>> {
    const filter = {
      accounts: accountsOf(actor, query.account),
      actor: query.actor,
      people:
        query.actor === undefined ? undefined : await this.#peopleNamed(query.actor, MAX_USERS),
      search: query.search === undefined ? undefined : await this.#searchFor(query.search),
      action: query.action,
      target: query.target,
      from: query.from === undefined ? undefined : Date.parse(query.from),
      to: query.to === undefined ? undefined : Date.parse(query.to),
    }
    const { found, limit } = await boundedRows<AuditRecord>(
      query.limit,
      (last, count) => this.#store.audit.list(filter, last?.number ?? placeOf(query.cursor), count),
      lengthOf,
    )
    const page = pageFrom(found, limit, ({ number }) => [number])
    return { ...page, data: (await decryptRecords(this.#names, page.data)).map(auditDocument) }
  }

  async #searchFor(text: string): Promise<AuditSearch> {
    const people = await this.#peopleNamed(text, MAX_SEARCHED_USERS)
    return { text, action: actionPattern(text), people }
  }

  /** Finds people by their current names, because names in the log are encrypted. */
  async #peopleNamed(text: string, limit: number): Promise<string[]> {
    const users = await this.#users.list({ search: text, limit })
    const address = await this.#names.findAddress(text)
    return [...users.map(({ id }) => id), ...(address === null ? [] : [address])]
  }
}

/**
 * Returns a glob for actions that contain the words of a text; undefined if it has no words. The text may have the form
 * of the console or of the API.
 */
function actionPattern(text: string): string | undefined {
  const words = text.toLowerCase().match(/[a-z0-9]+/g)
  return words === null ? undefined : `*${words.join("*")}*`
}

function accountsOf(actor: Actor, account: string | undefined): readonly string[] | undefined {
  if (account !== undefined) {
    requireRole(actor, account, "owner")
    return [account]
  }
  if (actor.isOperator) return undefined
  const owned = [...actor.roles].flatMap(([id, role]) => (role === "owner" ? [id] : []))
  if (owned.length > 0) return owned
  throw new GatewayError("forbidden", "Only owners of an account may read its audit log.")
}

function lengthOf({ before, after }: AuditRecord): number {
  return (before?.length ?? 0) + (after?.length ?? 0)
}

function placeOf(cursor: string | undefined): number | null {
  const number = positionOf(cursor)?.[0]
  return Number.isSafeInteger(number) ? Number(number) : null
}

function auditDocument(record: ReadableRecord): AuditDocument {
  return {
    number: record.number,
    at: new Date(record.at).toISOString(),
    actor: { kind: record.actorKind, id: record.actorId, name: record.actorName ?? ERASED },
    action: record.action,
    account: record.account,
    target: record.target,
    before: record.before,
    after: record.after,
    address: record.address,
    hash: record.hash,
  }
}
