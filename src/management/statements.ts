import { DAY_MS } from "#contract/durations.ts"
import type { StatementQuery } from "#contract/accounts.ts"
import type { StatementLine, StatementReads } from "../store/entries.ts"
import type { WriteOffRecord } from "../accounting/chained-records.ts"
import { GatewayError } from "../canon/errors.ts"
import { ownTurn } from "../canon/next-turn.ts"
import { type ArchivedFile, zipped } from "./zip.ts"
import type { AccountRecord } from "../store/accounts.ts"
import type { KeyRecord } from "../store/keys.ts"
import type { Store } from "../store/store.ts"
import { type Actor, requireOperator, requireRole } from "./actor.ts"
import { requireAccount } from "./stored-accounts.ts"
import { type Download, gathered, oneChunk } from "./download.ts"
import { pagesOf } from "./pages.ts"
import { csvStatement, jsonStatement, type Statement } from "./statement-text.ts"
import {
  csvTotals,
  jsonTotals,
  statementTotals,
  STATEMENT_PAGE_POLICY,
  statementPage,
} from "./statement-totals.ts"

const CONTENT_TYPES = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  html: "text/html; charset=utf-8",
} as const
/**
 * Number of entries per read. PostgreSQL plans each read for all partitions of the receipts, which takes longer than
 * reading several hundred entries.
 */
const ENTRIES_PER_READ = 2_000
/** Number of entries that are written in one turn of the event loop. */
const ENTRIES_PER_TURN = 100
/** Number of write-offs per read. */
const WRITE_OFFS_PER_READ = 100
/** Number of keys per read. */
const KEYS_PER_READ = 200

/** Reports the balance, charges and credits of an account between two days. */
export class Statements {
  readonly #store: Store
  readonly #lines: StatementReads

  /** @param lines reads the entries; the store if absent. */
  constructor(store: Store, lines: StatementReads = store.entries) {
    this.#store = store
    this.#lines = lines
  }

  /**
   * Opens a statement. Each entry is on the statement of its day in UTC. A charge belongs to the day on which its
   * request started. The opening balance plus all amounts is therefore the closing balance, which is the opening
   * balance of the next day.
   * @throws GatewayError `not_found`; `invalid_value` if the end is before the start.
   */
  async open(actor: Actor, id: string, query: StatementQuery): Promise<StatementFile> {
    requireRole(actor, id, "viewer")
    const account = await requireAccount(this.#store, id)
    const period = periodOf(query)
    await this.#requireEntries(id, period.from)
    return this.#file(actor, account, period, query)
  }

  /**
   * Opens the statements of all accounts as a ZIP archive. The statements are read one after the other while the
   * archive is sent.
   * @throws GatewayError `forbidden`; `invalid_value` if the end is before the start, or if entries were removed.
   */
  async openAll(actor: Actor, query: StatementQuery): Promise<Download> {
    requireOperator(actor)
    const period = periodOf(query)
    const accounts = await this.#store.accounts.list()
    const { until } = await this.#store.integrity.findPrunedRows()
    if (period.from < until) {
      for (const { id } of accounts) {
        await ownTurn()
        await this.#requireEntries(id, period.from)
      }
    }
    return {
      name: `statements-${query.from}-${query.to}.zip`,
      contentType: "application/zip",
      chunks: zipped(this.#files(actor, accounts, period, query)),
    }
  }

  async *#files(
    actor: Actor,
    accounts: readonly AccountRecord[],
    period: Period,
    query: StatementQuery,
  ): AsyncGenerator<ArchivedFile> {
    const names = new Set<string>()
    const modifiedAt = Date.now()
    for (const account of accounts) {
      const { name, chunks } = await this.#file(actor, account, period, query)
      // Different account names can result in the same file name.
      const isNew = !names.has(name.toLowerCase())
      names.add(name.toLowerCase())
      yield { name: isNew ? name : `${account.id}-${name}`, modifiedAt, chunks }
    }
  }

  /** Returns the statement of an account as a file. */
  async #file(
    actor: Actor,
    { id, name: accountName }: AccountRecord,
    { from, until }: Period,
    query: StatementQuery,
  ): Promise<StatementFile> {
    const read = await this.#read({ id, name: accountName }, from, until)
    const writeOffs = this.#writeOffs(id, from, until)
    const statement = actor.isOperator ? { ...read, writeOffs } : read
    const { format, content } = query
    const name = `${fileName(accountName)}-${query.from}-${query.to}`
    const file = { name: `${name}.${format}`, contentType: CONTENT_TYPES[format] }
    if (format !== "html" && content !== "totals") {
      const lines = format === "csv" ? csvStatement(statement) : jsonStatement(statement)
      return { ...file, chunks: gathered(lines) }
    }
    const totals = await statementTotals(statement, await this.#keyNames(id))
    if (format === "html") {
      const chunks = oneChunk(statementPage(totals))
      return { ...file, chunks, pagePolicy: STATEMENT_PAGE_POLICY }
    }
    const text = format === "csv" ? csvTotals(totals) : jsonTotals(totals)
    return { ...file, name: `${name}-totals.${format}`, chunks: oneChunk(text) }
  }

  async #keyNames(account: string): Promise<ReadonlyMap<string, string>> {
    const filter = { accounts: [account], status: undefined, now: Date.now() }
    const names = new Map<string, string>()
    const pages = pagesOf<KeyRecord>(KEYS_PER_READ, (last) =>
      this.#store.keys.list(
        filter,
        last ? { at: last.createdAt, id: last.id } : null,
        KEYS_PER_READ,
      ),
    )
    for await (const page of pages) for (const { id, name } of page) names.set(id, name)
    return names
  }

  async #read(account: Statement["account"], from: number, until: number): Promise<Statement> {
    const opening = await this.#balanceAt(account.id, from)
    const debt = await this.#debtAt(account.id, until)
    const entries = this.#entries(account.id, from, until)
    return { account, from, until, opening, debt, entries }
  }

  /**
   * Requires that all entries since a moment still exist.
   * @throws GatewayError `invalid_value` if some were removed.
   */
  async #requireEntries(account: string, from: number): Promise<void> {
    const { until } = await this.#store.integrity.findPrunedRows()
    if (from >= until || !(await this.#store.integrity.findLastPrunedEntry(account))) return
    const day = new Date(until).toISOString().slice(0, "2026-11-23".length)
    throw new GatewayError(
      "invalid_value",
      `Entries from before ${day} were removed: 'from' must not be earlier.`,
      { parameter: "from" },
    )
  }

  /** Returns the sum of all entries before a moment. */
  async #balanceAt(account: string, at: number): Promise<bigint> {
    const { after, last } = await this.#lines.findRange(account, at, at)
    let balance = await this.#balanceAfter(account, after)
    for await (const line of this.#linesOf(account, after, last)) {
      if (line.at < at) balance += line.amount
    }
    return balance
  }

  /**
   * Returns the balance after an entry.
   * @param number the number of the entry; 0 for the start of the ledger.
   */
  async #balanceAfter(account: string, number: number): Promise<bigint> {
    const pruned = await this.#store.integrity.findLastPrunedEntry(account)
    if (pruned && number <= pruned.number) return pruned.balance
    if (number === 0) return 0n
    const [end] = await this.#lines.listStatementLines(account, number - 1, 1)
    return end?.balance ?? 0n
  }

  /** Returns the debt at a moment. */
  async #debtAt(account: string, at: number): Promise<bigint> {
    const { lines } = await this.#store.payments.findDebts(account)
    return lines.reduce((sum, { line }) => (line.at < at ? sum + line.amount : sum), 0n)
  }

  async *#entries(account: string, from: number, until: number): AsyncGenerator<StatementLine> {
    const { after, last } = await this.#lines.findRange(account, from, until)
    for await (const line of this.#linesOf(account, after, last)) {
      if (line.at >= from && line.at < until) yield line
    }
  }

  /** Yields write-offs, newest first. */
  async *#writeOffs(account: string, from: number, until: number): AsyncGenerator<WriteOffRecord> {
    const pages = pagesOf<WriteOffRecord>(WRITE_OFFS_PER_READ, (last) =>
      this.#store.settlements.listWriteOffs([account], last?.number ?? null, WRITE_OFFS_PER_READ),
    )
    for await (const page of pages) {
      for (const line of page) if (line.at >= from && line.at < until) yield line
    }
  }

  async *#linesOf(account: string, after: number, last: number): AsyncGenerator<StatementLine> {
    if (after >= last) return
    const pages = pagesOf<StatementLine>(ENTRIES_PER_READ, (line) => {
      const from = line?.number ?? after
      const limit = Math.min(ENTRIES_PER_READ, last - from)
      return this.#lines.listStatementLines(account, from, limit)
    })
    for await (const page of pages) {
      for (const [index, line] of page.entries()) {
        if (index > 0 && index % ENTRIES_PER_TURN === 0) await ownTurn()
        yield line
      }
      if ((page.at(-1)?.number ?? last) >= last) return
    }
  }
}

interface Period {
  /** Start in Unix milliseconds. The end is exclusive. */
  readonly from: number
  readonly until: number
}

/** The statement of one account. */
export interface StatementFile extends Download {
  readonly chunks: AsyncIterable<string>
}

/** Returns the period of a query. @throws GatewayError `invalid_value` if the end is before the start. */
function periodOf(query: StatementQuery): Period {
  const from = startOf(query.from, "from")
  const until = startOf(query.to, "to") + DAY_MS
  if (until > from) return { from, until }
  throw new GatewayError("invalid_value", "'to' must not be before 'from'.", { parameter: "to" })
}

function startOf(day: string, parameter: string): number {
  const at = Date.parse(day)
  if (!Number.isNaN(at)) return at
  throw new GatewayError("invalid_value", `'${parameter}' must be a day, such as 2026-01-31.`, {
    parameter,
  })
}

/** Returns a file name with only letters, digits and hyphens, which are safe everywhere. */
function fileName(name: string): string {
  const safe = name
    .replace(/[^a-zA-Z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 50)
  return `statement-${safe === "" ? "account" : safe}`
}
