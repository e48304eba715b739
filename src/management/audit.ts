import type { NewAuditRecord } from "../store/audit.ts"
import type { Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"

/** What an audit record says of a change, besides who made it. */
export interface AuditedChange {
  /** `<resource>.<verb>`: `key.create`, `account.entry`, `provider.change`. */
  readonly action: string
  /** The account it belongs to, whose owners may read it. */
  readonly account?: string | null
  /** The id of the changed object. */
  readonly target?: string | null
  /** What the API showed before, and what it shows now: contract documents, never with a secret. */
  readonly before?: unknown
  readonly after?: unknown
}

/** Makes changes so that each is in the audit log, and none that is not made. */
export class Audit {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Makes a change in the store, which writes the record with it or neither.
   * @param write the method of the store, with its parameters before the record.
   * @throws StoreError of the method.
   */
  perform<Result>(
    actor: Actor,
    change: AuditedChange,
    write: (record: NewAuditRecord) => Promise<Result>,
  ): Promise<Result> {
    return write(recordOf(actor, change))
  }

  /** Records a change of data outside the store, after it is made. */
  async record(actor: Actor, change: AuditedChange): Promise<void> {
    await this.#store.audit.append(recordOf(actor, change))
  }
}

function recordOf(actor: Actor, change: AuditedChange): NewAuditRecord {
  return {
    at: Date.now(),
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    action: change.action,
    account: change.account ?? null,
    target: change.target ?? null,
    before: textOf(change.before),
    after: textOf(change.after),
    address: actor.address,
    claim: actor.claim,
  }
}

function textOf(document: unknown): string | null {
  return document === undefined || document === null ? null : JSON.stringify(document)
}
