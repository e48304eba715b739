import { DAY_MS } from "#contract/durations.ts"
import type { AccountQuery, AccountSort, AccountUse, ListedAccount } from "#contract/accounts.ts"
import { formatCredits } from "../ledger/money.ts"
import type { AccountRecord } from "../store/accounts.ts"
import type { AccountUse as AccountUseRecord } from "../store/requests.ts"
import { accountDocument } from "./account-document.ts"
import { foreignCursor, pageFrom, positionOf } from "./cursor.ts"
import { momentOrNull } from "./moment-text.ts"

/** Number of days over which an account's spending rate is measured. */
export const PACE_DAYS = 7
/** Sort value of accounts that never run out of credits. They come last. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The use of an account, and its spending on each of the last days in nanocredits if it was read. */
export type UsedAccount = AccountUseRecord & { readonly spentByDay?: readonly bigint[] }
export type AccountUses = ReadonlyMap<string, UsedAccount>

/** Sort orders that require the use of each account. */
const SORTED_BY_USE: ReadonlySet<AccountSort> = new Set([
  "spent_30_days",
  "last_used_at",
  "days_left",
])

/** Whether sorting requires the use of every account. */
export function isSortedByUse({ sort }: AccountQuery): boolean {
  return SORTED_BY_USE.has(sort)
}

/** Whether an account matches a query. */
export function fits(
  { id, name, state, balance, debt, limits }: AccountRecord,
  { search, state: wanted, credits, price_group: group }: AccountQuery,
): boolean {
  if (wanted !== undefined && state !== wanted) return false
  if (credits === "none" && balance > 0n && debt === 0n) return false
  if (group !== undefined && limits.priceGroup !== group) return false
  if (search === undefined) return true
  const text = search.trim().toLowerCase()
  return name.toLowerCase().includes(text) || id.toLowerCase().includes(text)
}

/** A value by which accounts are sorted. Text and amounts keep their types, so that a cursor can hold both. */
type SortValue = string | number | bigint

interface CursorPosition {
  readonly value: SortValue
  readonly id: string
}

/**
 * Returns a page of sorted accounts. Accounts whose position changes during paging may be repeated or skipped. All
 * others appear exactly once.
 * @param uses the use of all accounts, if they are sorted by use.
 * @throws GatewayError `invalid_value` for a cursor of another list.
 */
export function pageOfAccounts(
  accounts: readonly AccountRecord[],
  query: AccountQuery,
  { uses, now }: { readonly uses: AccountUses; readonly now: number },
) {
  const { sort, order, limit } = query
  const direction = order === "asc" ? 1 : -1
  const after = cursorPosition(query)
  const placed = accounts.map((account) => {
    const value = sortValue(account, sort, { use: uses.get(account.id), now })
    return { account, value, id: account.id }
  })
  const found = placed
    .filter((one) => after === undefined || compare(one, after) * direction > 0)
    .toSorted((left, right) => compare(left, right) * direction)
    .slice(0, limit + 1)
  const page = pageFrom(found, limit, ({ value, id }) => [
    sort,
    order,
    typeof value === "bigint" ? String(value) : value,
    id,
  ])
  return { ...page, data: page.data.map(({ account }) => account) }
}

function sortValue(
  account: AccountRecord,
  sort: AccountSort,
  { use, now }: { readonly use: AccountUseRecord | undefined; readonly now: number },
): SortValue {
  switch (sort) {
    case "created_at":
      return account.createdAt
    case "name":
      return account.name.toLowerCase()
    case "balance":
      return account.balance
    case "spent_30_days":
      return use?.spent ?? 0n
    case "last_used_at":
      return use?.lastUsedAt ?? 0
    case "days_left":
      return daysLeft(account, use, now) ?? NEVER
  }
}

function compare(left: CursorPosition, right: CursorPosition): number {
  if (left.value !== right.value) return left.value < right.value ? -1 : 1
  if (left.id === right.id) return 0
  return left.id < right.id ? -1 : 1
}

function cursorPosition({ cursor, sort, order }: AccountQuery): CursorPosition | undefined {
  const position = positionOf(cursor)
  if (position === undefined) return undefined
  const [by, direction, value, id] = position
  const isOurs = by === sort && direction === order && typeof id === "string"
  const read = isOurs && value !== undefined ? readValue(value, sort) : undefined
  if (!isOurs || read === undefined) throw foreignCursor()
  return { value: read, id }
}

function readValue(value: string | number, sort: AccountSort): SortValue | undefined {
  switch (sort) {
    case "name":
      return typeof value === "string" ? value : undefined
    case "balance":
    case "spent_30_days":
      return typeof value === "string" && /^-?\d{1,40}$/.test(value) ? BigInt(value) : undefined
    case "created_at":
    case "last_used_at":
    case "days_left":
      return typeof value === "number" ? value : undefined
  }
}

/**
 * Returns how many days the balance lasts at the recent rate, rounded down to a tenth; null without recent spending.
 */
function daysLeft(
  { balance, debt, createdAt }: AccountRecord,
  use: AccountUseRecord | undefined,
  now: number,
): number | null {
  const spent = use?.recentlySpent ?? 0n
  if (spent <= 0n) return null
  if (balance <= 0n || debt > 0n) return 0
  // For an account that is younger than `PACE_DAYS`, the rate is measured over its age.
  const days = Math.min(PACE_DAYS, Math.max(1, (now - createdAt) / DAY_MS))
  return Math.floor((Number(balance) / Number(spent)) * days * 10) / 10
}

/**
 * Converts an account in a list to its representation in the API.
 * @param uses absent if the use was not requested or is unavailable.
 */
export function listedDocument(
  account: AccountRecord,
  uses: AccountUses | undefined,
  now: number,
): ListedAccount {
  const document = accountDocument(account)
  return uses === undefined
    ? document
    : { ...document, usage: useDocument(account, uses.get(account.id), now) }
}

function useDocument(
  account: AccountRecord,
  use: UsedAccount | undefined,
  now: number,
): AccountUse {
  const at = use?.lastUsedAt ?? null
  const days = use?.spentByDay?.map(formatCredits)
  return {
    spent_30_days: formatCredits(use?.spent ?? 0n),
    ...(days && { spent_by_day: days }),
    last_used_at: momentOrNull(at),
    days_left: daysLeft(account, use, now),
  }
}
