import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"
import { findOlder, LONGEST_REQUEST } from "../entry-range.ts"
import type { EntryRange } from "../entries.ts"
import type { Store } from "../store.ts"
import type { Statements } from "./client.ts"
import { received } from "./debts.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-rows.ts"
import { addEntry } from "./ledger-lines.ts"
import type { StoreParts } from "./store-parts.ts"

export function entryMethods({ client, audited }: StoreParts): Store["entries"] {
  return {
    list: (account, after, limit) => list(client, account, after, limit),
    listBack: (account, before, limit, kind) => listBack(client, account, { before, limit, kind }),
    async listStatementLines(account, after, limit) {
      const columns = ENTRY_COLUMNS.replaceAll(/\w+/g, "entries.$&")
      const rows = await client.rows<EntryRow & { model: string | null }>(
        `SELECT ${columns}, receipts.model FROM entries
         LEFT JOIN receipts ON receipts.request = entries.request
         WHERE entries.account = $1 AND number > $2 ORDER BY number LIMIT $3`,
        [account, BigInt(after), BigInt(limit)],
      )
      return rows.map((row) => ({ ...entryFromRow(row), model: row.model }))
    },
    findRange: (account, from, until) =>
      client.consistently((statements) => findRange(statements, account, { from, until })),
    add: (entry, audit) =>
      audited(audit, async (transaction) =>
        received(transaction, await addEntry(transaction, entry)),
      ),
  }
}

async function list(
  statements: Statements,
  account: string,
  after: number,
  limit: number,
): Promise<EntryRecord[]> {
  const rows = await statements.rows<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM entries WHERE account = $1 AND number > $2 ORDER BY number LIMIT $3`,
    [account, BigInt(after), BigInt(limit)],
  )
  return rows.map(entryFromRow)
}

interface BackPage {
  readonly before: number | null
  readonly limit: number
  readonly kind: EntryKind | null
}

async function listBack(
  statements: Statements,
  account: string,
  { before, limit, kind }: BackPage,
): Promise<EntryRecord[]> {
  // The index on kinds has no charges, and is used where the query says that it asks for none.
  const ofKind =
    kind === null ? "" : `AND kind = '${kind}' ${kind === "charge" ? "" : "AND kind <> 'charge'"}`
  const rows = await statements.rows<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM entries WHERE account = $1 AND number < $2 ${ofKind} ORDER BY number DESC LIMIT $3`,
    [account, BigInt(before ?? Number.MAX_SAFE_INTEGER), BigInt(limit)],
  )
  return rows.map(entryFromRow)
}

async function findRange(
  statements: Statements,
  account: string,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<EntryRange> {
  const end = await statements.row<{ number: bigint }>(
    "SELECT number FROM balances WHERE owner = $1 AND allotted IS NULL",
    [account],
  )
  const last = Number(end?.number ?? 0n)
  const timeOf = async (number: number): Promise<number> => {
    const row = await statements.row<{ at: bigint }>(
      "SELECT at FROM entries WHERE account = $1 AND number = $2",
      [account, BigInt(number)],
    )
    return Number(row?.at ?? 0n)
  }
  return {
    after: await findOlder(last, from - LONGEST_REQUEST, timeOf),
    last: await findOlder(last, until + LONGEST_REQUEST, timeOf),
  }
}
