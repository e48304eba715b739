import { bitsOf } from "../../accounting/budget-periods.ts"
import type { Labels } from "../../accounting/labels.ts"
import { hashText, hashUncharged } from "../../accounting/hash-chain.ts"
import { reportedAmount } from "../../accounting/maxima.ts"
import { summarize } from "../request-summary.ts"
import type { Batch, HoldRecord, Posted, Posting } from "../settlements.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import type { ReportColumn } from "./report-columns.ts"

/**
 * The charged amount, its parts from the lease and from the budgets' leases, the balance, and whether the posting was
 * late.
 */
type PostedRow = readonly [string, string, readonly string[], string, boolean]

const POST =
  "CALL settle_batch($1, $2, $3::text::json, $4::text::json, $5::text::json, $6::text::json, $7, $8, NULL)"

/**
 * Posts a batch in one statement.
 * @param isAgain whether requests may already be in the ledger. If false, such a request violates a unique index.
 */
export async function postBatch(
  statements: Statements,
  node: string,
  batch: Batch,
  isAgain: boolean,
): Promise<Posted[]> {
  const { postings } = batch
  // If a batch contains a request twice, the second posting is handled as a repetition of the first.
  if (isAgain && new Set(postings.map(({ request }) => request)).size < postings.length) {
    return postOneByOne(statements, node, batch)
  }
  const owners = ownersOf(postings)
  const places = new Map(owners.map((owner, index) => [owner, index + 1]))
  const response = await statements.row<{ posted: string | null }>(POST, [
    node,
    texts(owners),
    JSON.stringify(postings.map((posting) => inputOf(posting, places))),
    jsonOrNull(postings.flatMap(writeOffsOf)),
    jsonOrNull(postings.flatMap(({ state = [] }) => state.map(stateOf))),
    jsonOrNull(batch.opened.map(holdOf)),
    texts(batch.closed),
    isAgain,
  ])
  const rows = JSON.parse(response?.posted ?? "[]") as readonly PostedRow[]
  return rows.map(([charged, fromLease, fromBudgets, balance, late], index) => ({
    request: postings[index]?.request ?? "",
    charged: BigInt(charged),
    fromLease: BigInt(fromLease),
    fromBudgetLeases: fromBudgets.map(BigInt),
    balance: BigInt(balance),
    late,
  }))
}

async function postOneByOne(statements: Statements, node: string, batch: Batch): Promise<Posted[]> {
  const posted: Posted[] = []
  const { postings, opened, closed } = batch
  for (const posting of postings) {
    const alone = { postings: [posting], opened: [], closed: [] }
    posted.push(...(await postBatch(statements, node, alone, true)))
  }
  await postBatch(statements, node, { postings: [], opened, closed }, true)
  return posted
}

/** Returns the owners in a batch, in byte order. The database locks them in this order. */
function ownersOf(postings: readonly Posting[]): string[] {
  const owners = new Set<string>()
  for (const { account, budgets } of postings) {
    owners.add(account)
    for (const budget of budgets) owners.add(budget)
  }
  return [...owners]
}

/** Converts a posting to JSON. Amounts are strings, because JSON numbers are only exact up to 2^53. */
function inputOf(posting: Posting, places: ReadonlyMap<string, number>) {
  const { request, account, key, amount, at, receipt, budgets } = posting
  const writtenOff = posting.writtenOff.reduce((sum, part) => sum + part.amount, 0n)
  const isCharged = amount > 0n
  return {
    account: places.get(account),
    budgets: `{${budgets.map((owner) => places.get(owner)).join(",")}}`,
    request,
    key,
    amount: String(amount),
    at,
    body: receipt,
    receipt_hash: hashText(receipt),
    uncharged_hash: hashUncharged({ account, key, request, at, isExpired: false, receipt }),
    bits: bitsOf(budgets, { key, account }),
    written_off: String(reportedAmount(writtenOff)),
    ...reportOf({ ...posting, amount: isCharged ? -amount : null, writtenOff }),
  }
}

/** The receipt of a charged or uncharged request. */
export interface ReportedReceipt {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly at: number
  readonly receipt: string
  /** The amount of the receipt's entry; null if nothing was charged. */
  readonly amount: bigint | null
  readonly writtenOff: bigint
}

/** Returns the values of a receipt that reports need. */
export function reportOf({
  writtenOff,
  ...receipt
}: ReportedReceipt): Readonly<
  Record<ReportColumn | "outcome" | "provider_cost", string | number | boolean | null>
> {
  const summary = summarize({
    ...receipt,
    row: 0n,
    at: BigInt(receipt.at),
    written_off: writtenOff,
    replaces: null,
  })
  return {
    endpoint: summary?.endpoint ?? "",
    model: summary?.model ?? "",
    provider: summary?.provider ?? null,
    price_group: summary?.priceGroup ?? null,
    status: summary?.status ?? "settled",
    outcome: summary?.outcome ?? "ok",
    failed: summary?.failed ?? false,
    stream: summary?.stream ?? false,
    estimated: summary?.estimated ?? false,
    duration: summary?.duration ?? null,
    first_byte: summary?.firstByte ?? null,
    input: summary?.input ?? 0,
    output: summary?.output ?? 0,
    provider_cost: String(summary?.providerCost ?? 0n),
    labels: labelsText(summary?.labels),
  }
}

/** Returns labels as JSON; null if there are none. */
function labelsText(labels: Labels = {}): string | null {
  return Object.keys(labels).length === 0 ? null : JSON.stringify(labels)
}

function writeOffsOf({ writtenOff }: Posting, index: number) {
  return writtenOff.map(({ amount, reason }) => ({
    place: index + 1,
    amount: String(amount),
    reason,
  }))
}

function stateOf(state: NonNullable<Posting["state"]>[number]) {
  const { idHash, provider, kind, account, request, tokens, createdAt, expiresAt } = state
  return {
    id_hash: idHash,
    provider,
    kind,
    account,
    request,
    tokens,
    created_at: createdAt,
    expires_at: expiresAt,
  }
}

function holdOf({ request, account, key, amount, at, receipt }: HoldRecord) {
  return { request, account, key, amount: String(amount), at, receipt }
}

function jsonOrNull(list: readonly object[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list)
}
