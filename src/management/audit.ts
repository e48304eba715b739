import type { NewAuditRecord } from "../store/audit.ts"
import type { AuditedStep, Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"

/** What an audit record says of a change, beside who made it. */
export interface AuditedChange {
  /** `<resource>.<verb>`: `key.create`, `account.entry`, `provider.change`. */
  readonly action: string
  /** The account that it concerns, whose owners may read it. */
  readonly account?: string | null
  /** The id of what is changed. */
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

  /** Performs a step of the store; it and its record are one transaction. @throws StoreError of the step. */
  async perform<Step extends AuditedStep>(
    actor: Actor,
    change: AuditedChange,
    step: Step,
    ...parameters: Parameters<Store[Step]>
  ): Promise<Awaited<ReturnType<Store[Step]>>> {
    const result = await this.#store.audited(step, parameters, recordOf(actor, change))
    return result as Awaited<ReturnType<Store[Step]>>
  }

  /** Records a change of what is kept elsewhere than in the store, once it is made. */
  async record(actor: Actor, change: AuditedChange): Promise<void> {
    await this.#store.appendAudit(recordOf(actor, change))
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
