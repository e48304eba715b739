import type { AuditRecord } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "../store/audit.ts"
import type { Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"
import { type NamedPerson, PersonalNames, personOf } from "./personal-names.ts"

/** The content of an audit record, except the actor. */
export interface AuditedChange {
  /** The action as `<resource>.<verb>`, such as `key.create`, `account.entry` or `provider.change`. */
  readonly action: string
  /** The account that the change belongs to. Its owners may read the record. */
  readonly account?: string | null
  /** The id of the changed object. */
  readonly target?: string | null
  /** The API documents before and after the change. They never contain a secret. */
  readonly before?: object | undefined
  readonly after?: object | undefined
  /** The person whom these documents name. */
  readonly about?: NamedPerson | undefined
}

/**
 * Makes changes together with their audit records, so that neither exists without the other. Names of people are
 * encrypted in the log.
 */
export class Audit {
  readonly names: PersonalNames
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
    this.names = new PersonalNames(store)
  }

  /**
   * Makes a change in the store, which writes the change and its record together.
   * @param write calls the method of the store, with the record as the last parameter.
   * @throws StoreError if the method throws it.
   */
  async perform<Result>(
    actor: Actor,
    change: AuditedChange,
    write: (record: NewAuditRecord) => Promise<Result>,
  ): Promise<Result> {
    return write(await this.#recordOf(actor, change))
  }

  /** Records a change to data outside of the store, after the change was made. */
  async record(actor: Actor, change: AuditedChange): Promise<void> {
    await this.#store.audit.append(await this.#recordOf(actor, change))
  }

  async #recordOf(actor: Actor, change: AuditedChange): Promise<NewAuditRecord> {
    const who = personOf(actor)
    const [actorName = actor.name, address = actor.address] = who
      ? await this.names.encryptAll(who, [
          actor.name,
          ...(actor.address === null ? [] : [actor.address]),
        ])
      : []
    return {
      at: Date.now(),
      actorKind: actor.kind,
      actorId: actor.id,
      actorName,
      action: change.action,
      account: change.account ?? null,
      target: change.target ?? null,
      before: await this.#textOf(change.before, change.about),
      after: await this.#textOf(change.after, change.about),
      address,
      claim: actor.claim,
    }
  }

  async #textOf(body: object | undefined, about: NamedPerson | undefined): Promise<string | null> {
    if (body === undefined) return null
    if (!about) return JSON.stringify(body)
    const members = Object.entries(body)
    const personal = members.flatMap(([name, value]) =>
      PERSONAL.has(name) && typeof value === "string" ? [[name, value] as const] : [],
    )
    const encrypted = await this.names.encryptAll(
      about,
      personal.map(([, value]) => value),
    )
    const replaced = personal.map(([name], index) => [name, encrypted[index]] as const)
    return JSON.stringify({ ...body, ...Object.fromEntries(replaced) })
  }
}

/** Personal fields in documents of users, members, invitations and email targets. */
const PERSONAL: ReadonlySet<string> = new Set(["name", "email", "address"])

/** An audit record whose names are decrypted. */
export interface ReadableRecord extends Omit<AuditRecord, "actorName" | "before" | "after"> {
  /** The actor's name; null if the reader may not see it. */
  readonly actorName: string | null
  readonly before: unknown
  readonly after: unknown
}

/** Decrypts the names in records. Names of erased people become `erased`. */
export function decryptRecords(
  names: PersonalNames,
  records: readonly AuditRecord[],
): Promise<ReadableRecord[]> {
  return readRecords(records, (texts) => names.decrypt(texts))
}

/**
 * Replaces encrypted texts in records with their visible form.
 * @param readTexts returns the visible form of each text, or null if the text is hidden.
 */
export async function readRecords(
  records: readonly AuditRecord[],
  readTexts: (texts: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<ReadableRecord[]> {
  const bodies = records.map(({ before, after }) => ({
    before: bodyOf(before),
    after: bodyOf(after),
  }))
  const texts = records.flatMap(({ actorName, address }, index) => [
    actorName,
    address,
    ...textsIn(bodies[index]?.before),
    ...textsIn(bodies[index]?.after),
  ])
  const distinct = [...new Set(texts.filter((text) => text !== null))]
  const visible = await readTexts(distinct)
  const readable = new Map(distinct.map((text, index) => [text, visible[index] ?? null]))
  const read = (value: unknown): unknown =>
    typeof value === "string" ? (readable.get(value) ?? null) : value
  const readBody = (body: unknown): unknown =>
    isObject(body)
      ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name, read(value)]))
      : body
  return records.map((record, index) => ({
    ...record,
    actorName: readable.get(record.actorName) ?? null,
    address: record.address === null ? null : (readable.get(record.address) ?? null),
    before: readBody(bodies[index]?.before),
    after: readBody(bodies[index]?.after),
  }))
}

function bodyOf(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

function textsIn(body: unknown): string[] {
  return isObject(body) ? Object.values(body).filter((value) => typeof value === "string") : []
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
