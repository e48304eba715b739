import type { WriteOff } from "../accounting/chained-records.ts"
import { MAX_QUANTITY, reportedAmount } from "../accounting/maxima.ts"
import type { Batch, Posted, Posting } from "../store/settlements.ts"
import { StoreError } from "../store/store-error.ts"

/** A settlement whose values the database rejected. Nothing was charged. */
export class UnstorableError extends Error {
  override readonly name = "UnstorableError"
  /** The write-off of the cost; undefined if there is no cost, or if the database rejects the write-off too. */
  readonly writeOff: WriteOff | undefined
  /** Whether the receipt is in the database. */
  readonly isRecorded: boolean

  constructor(cause: StoreError, isRecorded: boolean, writeOff?: WriteOff) {
    super(cause.message, { cause })
    this.isRecorded = isRecorded
    this.writeOff = writeOff
  }
}

export type Post = (batch: Batch) => Promise<readonly Posted[]>

/**
 * Posts a batch. If the database rejects its values, the batch is divided until each rejected settlement is alone in a
 * batch, so that all others are posted. A rejected settlement is replaced by a receipt without a charge, and its cost
 * is written off.
 * @param post detects postings that are already stored.
 * @throws any other error of `post`. Part of the batch may have been posted in that case.
 */
export async function postDivided(post: Post, batch: Batch): Promise<(Posted | UnstorableError)[]> {
  try {
    return [...(await post(batch))]
  } catch (error) {
    if (!isOfValues(error)) throw error
    const results: (Posted | UnstorableError)[] = []
    const parts = divided(batch)
    for (const part of parts) results.push(...(await postDivided(post, part)))
    // A rejected record of a hold is omitted, because it is only needed if the process dies.
    const [only] = parts.length === 0 ? batch.postings : []
    if (only) results.push(await replace(post, only, error))
    return results
  }
}

/**
 * Whether the database rejected the values of a batch. This includes requests that are too old for the detection of
 * duplicates, because they can never be stored.
 */
function isOfValues(error: unknown): error is StoreError {
  return error instanceof StoreError
}

/** Returns the parts of a batch, in order; empty if it cannot be divided. */
function divided({ postings, opened, closed }: Batch): Batch[] {
  const none = { postings: [], opened: [], closed: [] }
  const groups: Batch[] = [
    ...halvesOf(postings).map((half) => ({ ...none, postings: half })),
    ...halvesOf(opened).map((half) => ({ ...none, opened: half })),
    ...(closed.length > 0 ? [{ ...none, closed }] : []),
  ]
  return groups.length > 1 ? groups : []
}

function halvesOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter(({ length }) => length > 0)
}

async function replace(post: Post, posting: Posting, cause: StoreError): Promise<UnstorableError> {
  const cost = posting.writtenOff.reduce((sum, { amount }) => sum + amount, posting.amount)
  const writeOff =
    cost > 0n ? { amount: reportedAmount(cost), reason: "unstorable" as const } : undefined
  const replacement = {
    ...posting,
    budgets: [],
    amount: 0n,
    writtenOff: writeOff ? [writeOff] : [],
    receipt: storableReceipt(posting.receipt),
    state: undefined,
  }
  try {
    await post({ postings: [replacement], opened: [], closed: [] })
    return new UnstorableError(cause, true, writeOff)
  } catch (error) {
    if (!isOfValues(error)) throw error
    return new UnstorableError(cause, false)
  }
}

/** Maximum characters of a stored text. */
const MAX_TEXT = 200
/** Fields that the caller sets. */
const LABELS: ReadonlySet<string> = new Set(["user", "session", "tags", "label_budgets"])

function storable(name: string, value: unknown): unknown {
  if (LABELS.has(name)) return undefined
  if (typeof value === "string") return value.slice(0, MAX_TEXT).replace(/[^ -~]/g, "?")
  if (typeof value !== "number") return value
  return Math.max(-MAX_QUANTITY, Math.min(MAX_QUANTITY, value))
}

/** Returns the receipt of an uncharged request, without values that a database may reject. */
function storableReceipt(text: string): string {
  try {
    const receipt: unknown = JSON.parse(text, storable)
    return JSON.stringify({ ...(receipt as object), status: "released" })
  } catch {
    return JSON.stringify({ status: "released" })
  }
}
