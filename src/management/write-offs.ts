import type { Page } from "#contract/common.ts"
import type { WriteOff, WriteOffQuery } from "#contract/write-offs.ts"
import type { WriteOffRecord } from "../accounting/chained-records.ts"
import { formatCredits } from "../ledger/money.ts"
import type { Store } from "../store/store.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { pageFrom, positionOf } from "./cursor.ts"

/** Lists costs of requests that were not charged. They are the operator's loss. */
export class WriteOffs {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Lists write-offs, newest first. @throws GatewayError `forbidden`. */
  async list(actor: Actor, query: WriteOffQuery): Promise<Page<WriteOff>> {
    requireOperator(actor)
    const accounts = query.account === undefined ? undefined : [query.account]
    const [position] = positionOf(query.cursor) ?? []
    const before = Number.isSafeInteger(position) ? Number(position) : null
    const found = await this.#store.settlements.listWriteOffs(accounts, before, query.limit + 1)
    const page = pageFrom(found, query.limit, ({ number }) => [number])
    return { ...page, data: page.data.map(writeOffDocument) }
  }
}

/** Converts a write-off to its representation in the API. */
export function writeOffDocument(record: WriteOffRecord): WriteOff {
  const { number, at, account, key, request, amount, reason, hash } = record
  const moment = new Date(at).toISOString()
  return {
    number,
    at: moment,
    account,
    key,
    request,
    amount: formatCredits(amount),
    reason,
    hash,
  }
}
