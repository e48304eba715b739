import type {
  ConversationParts,
  ConversationRecord,
  ConversationWrite,
  FindOptions,
  FoundParts,
  KeptPart,
} from "../conversations.ts"
import { bigints, byteArrays, texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import type { Value } from "./connection-pool.ts"

/** Approximate size of a row in bytes, without its content. */
const ROW_BYTES = 300
/** Maximum bytes of parts that one statement writes. A larger part is written alone. */
const MAX_WRITE_BYTES = 1024 * 1024
/** Maximum parts that one step of a sweep deletes. */
const SWEEP_BATCH = 1_000n
/** Maximum parts that are read at once when space is freed. */
const EVICTION_BATCH = 100n
/** Maximum age of the cached total over all accounts. The cached total lacks later additions by other nodes. */
const MAX_TOTAL_AGE_MS = 10_000
/** When the total exceeds the maximum, 1/50 of the total is freed, so that not every response has to free space. */
const FREED_DIVISOR = 50

/** Matches expired responses, and responses that were stored while the clock was wrong. */
const EXPIRED = "(expires_at <= $1 OR at <= $2 OR at >= $3)"

type FoundRow = { readonly hash: string; readonly bytes: bigint; readonly encrypted: Buffer | null }

/**
 * Stores the encrypted parts of conversations. Each account has a row with its total size. Every change to the parts of
 * an account locks this row. The sum over all accounts is read at intervals, and additions by this process are added to
 * it.
 */
export class PostgresConversations implements ConversationParts {
  readonly #client: PostgresClient
  #total = { bytes: 0, readAt: -Infinity }

  constructor(client: PostgresClient) {
    this.#client = client
  }

  async keep(writes: readonly ConversationWrite[]): Promise<void> {
    // A response above the limit would evict all others and finally itself.
    const fitting = writes.filter(
      ({ record, room }) => sizeOf(record) <= Math.min(room.accountBytes, room.totalBytes),
    )
    await this.#client.transaction(async (transaction) => {
      await lockSizes(
        transaction,
        fitting.map(({ record }) => record.account),
      )
      for (const { record, room } of fitting) {
        await insert(transaction, record)
        await makeAccountRoom(transaction, record.account, room.accountBytes)
      }
    })
    for (const { record, room } of fitting) {
      this.#total.bytes += sizeOf(record)
      await this.#makeTotalRoom(room.totalBytes)
    }
  }

  async find(hashes: readonly string[], { now, keep, max }: FindOptions): Promise<FoundParts> {
    const rows = await this.#client.rows<FoundRow>(
      `SELECT hash, bytes, CASE WHEN sum(bytes) OVER () <= $5 THEN encrypted END AS encrypted
       FROM conversation_parts WHERE NOT ${EXPIRED} AND hash = ANY($4)`,
      [BigInt(now), BigInt(now - keep), BigInt(now + keep), texts(hashes), BigInt(max)],
    )
    const found: KeptPart[] = []
    for (const { hash, encrypted } of rows) if (encrypted) found.push({ hash, encrypted })
    if (found.length === rows.length) return found
    return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  }

  async delete(hash: string): Promise<boolean> {
    const deleted = await this.#client.transaction(async (transaction) => {
      const accounts = await transaction.rows<{ account: string }>(
        "SELECT DISTINCT account FROM conversation_parts WHERE response = $1",
        [hash],
      )
      await lockSizes(
        transaction,
        accounts.map(({ account }) => account),
      )
      return forget(transaction, "response = $1", [hash])
    })
    return deleted.count > 0
  }

  async sweep(now: number, keep: number): Promise<void> {
    const times = [BigInt(now), BigInt(now - keep), BigInt(now + keep)]
    for (;;) {
      const rows = await this.#client.rows<{ hash: string; account: string }>(
        `SELECT hash, account FROM conversation_parts WHERE ${EXPIRED} LIMIT $4`,
        [...times, SWEEP_BATCH],
      )
      if (rows.length === 0) break
      const hashes = rows.map(({ hash }) => hash)
      await this.#client.transaction(async (transaction) => {
        await lockSizes(
          transaction,
          rows.map(({ account }) => account),
        )
        await forget(transaction, `${EXPIRED} AND hash = ANY($4)`, [...times, texts(hashes)])
      })
    }
    await this.#client.run(
      `DELETE FROM conversation_sizes WHERE account IN (
         SELECT account FROM conversation_sizes WHERE bytes <= 0 FOR UPDATE SKIP LOCKED)`,
    )
  }

  /**
   * Reduces the total over all accounts below its maximum, by deleting the oldest responses of the account that stores
   * the most.
   */
  async #makeTotalRoom(max: number): Promise<void> {
    if (performance.now() - this.#total.readAt > MAX_TOTAL_AGE_MS || this.#total.bytes > max) {
      await this.#readTotal()
    }
    if (this.#total.bytes <= max) return
    const goal = max - max / FREED_DIVISOR
    while (this.#total.bytes > goal) {
      const freed = await freeOfLargest(this.#client, this.#total.bytes - goal)
      if (freed === 0) return
      this.#total.bytes -= freed
    }
  }

  async #readTotal(): Promise<void> {
    const row = await this.#client.row<{ bytes: bigint }>(
      "SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM conversation_sizes",
    )
    this.#total = { bytes: Number(row?.bytes ?? 0n), readAt: performance.now() }
  }
}

/** Locks the rows of accounts in a fixed order, so that transactions do not deadlock. Missing rows are created. */
async function lockSizes(transaction: Statements, accounts: readonly string[]): Promise<void> {
  for (const account of [...new Set(accounts)].toSorted()) {
    await transaction.run(
      `INSERT INTO conversation_sizes AS s (account, bytes) VALUES ($1, 0)
       ON CONFLICT (account) DO UPDATE SET bytes = s.bytes`,
      [account],
    )
  }
}

async function insert(transaction: Statements, record: ConversationRecord): Promise<void> {
  const { account, at, expiresAt } = record
  const response = record.parts[0]?.hash ?? ""
  const parts = [...new Map(record.parts.map((part) => [part.hash, part])).values()]
  await forget(transaction, "hash = ANY($1)", [texts(parts.map(({ hash }) => hash))])
  for (const some of inWrites(parts)) {
    await transaction.run(
      `INSERT INTO conversation_parts (hash, response, account, at, expires_at, bytes, encrypted)
       SELECT hash, $1, $2, $3, $4, bytes, encrypted FROM unnest($5::text[], $6::bigint[], $7::bytea[])
         AS p (hash, bytes, encrypted)`,
      [
        response,
        account,
        BigInt(at),
        BigInt(expiresAt),
        texts(some.map(({ hash }) => hash)),
        bigints(some.map((part) => BigInt(sizeOfPart(part)))),
        byteArrays(some.map(({ encrypted }) => encrypted)),
      ],
    )
  }
  await transaction.run("UPDATE conversation_sizes SET bytes = bytes + $2 WHERE account = $1", [
    account,
    BigInt(parts.reduce((sum, part) => sum + sizeOfPart(part), 0)),
  ])
}

/** Deletes the oldest responses of an account with all their parts until the remaining ones fit. */
async function makeAccountRoom(
  transaction: Statements,
  account: string,
  max: number,
): Promise<void> {
  for (;;) {
    const row = await transaction.row<{ bytes: bigint }>(
      "SELECT bytes FROM conversation_sizes WHERE account = $1",
      [account],
    )
    const over = Number(row?.bytes ?? 0n) - max
    if (over <= 0 || (await freeOldest(transaction, account, over)) === 0) return
  }
}

/**
 * Frees bytes of the account that stores the most, but at most the difference between it and the second-largest
 * account.
 * @returns the number of freed bytes.
 */
function freeOfLargest(client: PostgresClient, wanted: number): Promise<number> {
  return client.transaction(async (transaction) => {
    const [largest, next] = await transaction.rows<{ account: string; bytes: bigint }>(
      "SELECT account, bytes FROM conversation_sizes ORDER BY bytes DESC LIMIT 2",
    )
    if (!largest) return 0
    await lockSizes(transaction, [largest.account])
    const lead = Number(largest.bytes - (next?.bytes ?? 0n))
    return freeOldest(transaction, largest.account, Math.min(wanted, Math.max(lead, 1)))
  })
}

/**
 * Deletes the oldest responses of an account whose row is locked, until enough is freed or a limit is reached.
 * @returns the number of freed bytes.
 */
async function freeOldest(
  transaction: Statements,
  account: string,
  wanted: number,
): Promise<number> {
  const rows = await transaction.rows<{ response: string; bytes: bigint }>(
    "SELECT response, bytes FROM conversation_parts WHERE account = $1 ORDER BY at LIMIT $2",
    [account, EVICTION_BATCH],
  )
  const responses = new Set<string>()
  let bytes = 0
  for (const row of rows) {
    if (bytes >= wanted && !responses.has(row.response)) break
    responses.add(row.response)
    bytes += Number(row.bytes)
  }
  const gone = await forget(transaction, "account = $1 AND response = ANY($2)", [
    account,
    texts([...responses]),
  ])
  return gone.bytes
}

/**
 * Deletes parts of accounts whose rows are locked.
 * @param condition a condition on the columns of parts.
 */
async function forget(
  transaction: Statements,
  condition: string,
  values: readonly Value[],
): Promise<{ readonly count: number; readonly bytes: number }> {
  const row = await transaction.row<{ count: bigint; bytes: bigint }>(
    `WITH gone AS (DELETE FROM conversation_parts WHERE ${condition} RETURNING account, bytes),
     shrunk AS (
       UPDATE conversation_sizes AS s SET bytes = s.bytes - g.bytes
       FROM (SELECT account, sum(bytes)::bigint AS bytes FROM gone GROUP BY account) AS g
       WHERE s.account = g.account
     )
     SELECT count(*) AS count, coalesce(sum(bytes), 0)::bigint AS bytes FROM gone`,
    values,
  )
  return { count: Number(row?.count ?? 0n), bytes: Number(row?.bytes ?? 0n) }
}

/** Divides parts into groups, each of which one statement writes. */
function* inWrites(parts: readonly KeptPart[]): Generator<readonly KeptPart[]> {
  let some: KeptPart[] = []
  let bytes = 0
  for (const part of parts) {
    if (some.length > 0 && bytes + sizeOfPart(part) > MAX_WRITE_BYTES) {
      yield some
      some = []
      bytes = 0
    }
    some.push(part)
    bytes += sizeOfPart(part)
  }
  if (some.length > 0) yield some
}

function sizeOf({ parts }: ConversationRecord): number {
  return parts.reduce((sum, part) => sum + sizeOfPart(part), 0)
}

function sizeOfPart({ encrypted }: KeptPart): number {
  return encrypted.byteLength + ROW_BYTES
}
