import type { AccountCredits, Entry, NewEntry } from "#contract/accounts.ts"
import type { Page } from "#contract/common.ts"
import { StoreError } from "../store/store-error.ts"
import type { EntryKind, EntryRecord } from "../accounting/chained-records.ts"
import { GatewayError } from "../canon/errors.ts"
import { formatUnits } from "../config/sections/payments.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import type { PaidAmount } from "../store/payments.ts"
import { type Store } from "../store/store.ts"
import { type Actor, requireOperator, requireRole } from "./actor.ts"
import { requireAccount } from "./stored-accounts.ts"
import type { Audit } from "./audit.ts"
import { takeRecalled } from "./recalled-credits.ts"
import { pageFrom, type PageQuery, positionOf } from "./cursor.ts"

export interface EntryQuery extends PageQuery {
  readonly kind?: EntryKind | undefined
  /** Start of the time range in ISO 8601. The end is exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Manages the credits of accounts. Members read the ledger, and operators add entries. */
export class Credits {
  readonly #store: Store
  readonly #audit: Audit

  constructor(store: Store, audit: Audit) {
    this.#store = store
    this.#audit = audit
  }

  /**
   * Returns the credits of an account.
   * @throws GatewayError `not_found`.
   */
  async credits(actor: Actor, account: string): Promise<AccountCredits> {
    requireRole(actor, account, "viewer")
    const { balance, debt } = await requireAccount(this.#store, account)
    const holds = await this.#store.settlements.listHolds(account)
    const held = holds.reduce((sum, hold) => sum + hold.amount, 0n)
    return {
      balance: formatCredits(balance),
      held: formatCredits(held),
      available: formatCredits(balance > held && debt === 0n ? balance - held : 0n),
      debt: formatCredits(debt),
      holds: holds.map((hold) => ({
        request: hold.request,
        key: hold.key,
        amount: formatCredits(hold.amount),
        created_at: new Date(hold.at).toISOString(),
      })),
    }
  }

  /** Lists entries, newest first. @throws GatewayError `not_found`. */
  async entries(actor: Actor, account: string, input: EntryQuery): Promise<Page<Entry>> {
    requireRole(actor, account, "viewer")
    await requireAccount(this.#store, account)
    const page = await this.#entriesOf(account, input)
    const authors = await this.#audit.names.decrypt(page.data.map(({ author }) => author))
    const paid = await this.#paidAmounts(account, page.data)
    const data = page.data.map((entry, index) => ({
      ...entryDocument(entry),
      author: authors[index] ?? null,
      paid: paid.get(entry.number) ?? null,
    }))
    return { ...page, data }
  }

  /** Returns the amounts that were paid by card for entries, by number. */
  async #paidAmounts(
    account: string,
    entries: readonly EntryRecord[],
  ): Promise<ReadonlyMap<number, NonNullable<Entry["paid"]>>> {
    const numbers = entries.flatMap(({ kind, number }) => (kind === "payment" ? [number] : []))
    if (numbers.length === 0) return new Map()
    const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
    const found = await this.#store.payments.listPaidAmounts(account, first, last)
    return new Map(found.map((amount) => [amount.entry, paidDocument(amount)]))
  }

  /**
   * Reads the entries of a time range. The positions of the range in the ledger are found by bisection, so entries near
   * its ends may be missing if their times are out of order.
   */
  async #entriesOf(account: string, input: EntryQuery): Promise<Page<EntryRecord>> {
    const { kind = null, limit, cursor } = input
    const from = input.from === undefined ? 0 : Date.parse(input.from)
    const to = input.to === undefined ? Number.POSITIVE_INFINITY : Date.parse(input.to)
    const [position = null] = positionOf(cursor) ?? []
    const range = await this.#rangeOf(account, input)
    const before = position === null ? range.before : numberOf(position)
    const found = await this.#store.entries.listBack(account, before, limit + 1, kind)
    const page = pageFrom(found, limit, (entry) => [entry.number])
    const last = page.data.at(-1)
    return {
      ...page,
      data: page.data.filter(({ at, number }) => number > range.after && at >= from && at < to),
      next_cursor: last !== undefined && last.number <= range.after ? null : page.next_cursor,
    }
  }

  /** Returns the entry numbers just before and after a time range; null for an open end. */
  async #rangeOf(
    account: string,
    { from, to }: EntryQuery,
  ): Promise<{ readonly after: number; readonly before: number | null }> {
    if (from === undefined && to === undefined) return { after: 0, before: null }
    const begin = from === undefined ? 0 : Date.parse(from)
    const end = to === undefined ? Date.now() : Date.parse(to)
    const { after, last } = await this.#store.entries.findRange(account, begin, end)
    return { after, before: to === undefined ? null : last + 1 }
  }

  /**
   * Adds an entry. Existing entries are never changed.
   * @throws GatewayError `forbidden`, `not_found`, `below_min_value`, `above_max_value`; `conflict` if an adjustment
   * exceeds the balance, or the part of it that running requests do not hold.
   */
  async add(actor: Actor, account: string, input: NewEntry): Promise<Entry> {
    requireRole(actor, account, "viewer")
    requireOperator(actor)
    const amount = amountOf(input)
    const { id, balance } = await requireAccount(this.#store, account)
    if (balance < -amount) throw notCovered(balance, -amount)
    const { kind, note } = input
    const change = {
      action: "account.entry",
      account: id,
      target: id,
      after: { kind, amount: formatCredits(amount), note },
    }
    const author = await this.#audit.names.authorOf(actor)
    const entry = { account: id, kind, amount, at: Date.now(), note, author }
    const append = () =>
      this.#audit.perform(actor, change, (record) => this.#store.entries.add(entry, record))
    const added = await (amount < 0n ? this.#takeOut(id, -amount, append) : adding(append))
    return { ...entryDocument(added), author: actor.name }
  }

  /** Takes an amount out of the balance, unless running requests hold it. */
  #takeOut(
    account: string,
    amount: bigint,
    append: () => Promise<EntryRecord>,
  ): Promise<EntryRecord> {
    return takeRecalled(this.#store, { account, amount }, async (free, isLast) => {
      const { balance, leased } = await requireAccount(this.#store, account)
      if (balance < amount) throw notCovered(balance, amount)
      const entry = free < amount ? undefined : await unlessInsufficient(append)
      if (!entry && isLast) throw stillHeld(balance, leased, amount)
      return entry
    })
  }
}

function numberOf(position: string | number): number {
  if (typeof position === "number" && Number.isSafeInteger(position)) return position
  throw new GatewayError("invalid_value", "'cursor' is not from this list.", {
    parameter: "cursor",
  })
}

function amountOf({ kind, amount: text }: NewEntry): bigint {
  const amount = parseCredits(text)
  if (amount > 0n || (kind === "adjustment" && amount < 0n)) return amount
  const words =
    kind === "adjustment"
      ? "'amount' must not be zero: positive amounts add credits, negative ones remove them."
      : `'amount' of a ${kind} must be above zero. To remove credits, make an adjustment.`
  throw new GatewayError("below_min_value", words, { parameter: "amount" })
}

async function adding(append: () => Promise<EntryRecord>): Promise<EntryRecord> {
  try {
    return await append()
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "too_much") throw error
    throw new GatewayError("above_max_value", `'amount' is too large: ${error.message}.`, {
      parameter: "amount",
      cause: error,
    })
  }
}

/** Returns the result, or undefined if a request was charged after the amount was recalled. */
async function unlessInsufficient(
  append: () => Promise<EntryRecord>,
): Promise<EntryRecord | undefined> {
  try {
    return await append()
  } catch (error) {
    if (error instanceof StoreError && error.code === "insufficient") return undefined
    throw error
  }
}

function notCovered(balance: bigint, amount: bigint): GatewayError {
  return new GatewayError(
    "conflict",
    `The account has ${formatCredits(balance)} credits, so ${formatCredits(amount)} cannot be taken out. Take out less.`,
    { parameter: "amount" },
  )
}

function stillHeld(balance: bigint, leased: bigint, amount: bigint): GatewayError {
  return new GatewayError(
    "conflict",
    `Running requests hold ${formatCredits(leased)} of the account's ${formatCredits(balance)} credits, so ${formatCredits(amount)} cannot be taken out now. Try again when they have finished, or take out less.`,
    { parameter: "amount" },
  )
}

/** Converts a paid amount to its representation in the API. */
function paidDocument({ units, currency }: PaidAmount): NonNullable<Entry["paid"]> {
  return { amount: formatUnits(units, currency), currency }
}

/** Converts an entry to its representation in the API. */
export function entryDocument(entry: EntryRecord): Entry {
  return {
    number: entry.number,
    kind: entry.kind,
    amount: formatCredits(entry.amount),
    balance: formatCredits(entry.balance),
    at: new Date(entry.at).toISOString(),
    request: entry.request,
    note: entry.note,
    author: entry.author,
    paid: null,
    hash: entry.hash,
  }
}
