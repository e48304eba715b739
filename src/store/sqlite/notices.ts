import type { Database } from "bun:sqlite"
import { budgetOwner } from "../../accounting/budget-periods.ts"
import { BUDGET_HOLDER } from "./budgets.ts"
import {
  type DeliveryRow,
  dueFromRows,
  type NoticeRow,
  noticesFromRows,
  TARGET_COLUMNS,
  targetFromRow,
  type TargetRow,
  targetValues,
} from "../notice-rows.ts"
import type {
  DeliveryResult,
  DueDelivery,
  HeldAccount,
  LowBalance,
  MarkChange,
  NewNotice,
  NoticeRecord,
  NoticeTarget,
  SpentBudget,
} from "../notices.ts"
import { refusals } from "../refusals.ts"
import { Conditions } from "./conditions.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

/** Notices, and where they are sent. Methods that write expect to run inside a transaction. */
export class Notices {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  targets(accounts: readonly string[] | null): NoticeTarget[] {
    const conditions = new Conditions()
    conditions.among("account", accounts ?? undefined)
    return this.#database
      .query<TargetRow, (string | bigint)[]>(
        `SELECT ${TARGET_COLUMNS} FROM notice_targets ${conditions.where} ORDER BY created_at, id`,
      )
      .all(...conditions.values)
      .map(targetFromRow)
  }

  findTarget(id: string): NoticeTarget | null {
    const row = this.#database
      .query<TargetRow, [string]>(`SELECT ${TARGET_COLUMNS} FROM notice_targets WHERE id = ?`)
      .get(id)
    return row && targetFromRow(row)
  }

  insertTarget(target: NoticeTarget): void {
    const { account } = target
    const found = this.#database.query("SELECT 1 FROM accounts WHERE id = ?")
    if (account !== null && found.get(account) === null) throw refusals.noAccount(account)
    this.#database.run(
      `INSERT INTO notice_targets (${TARGET_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      targetValues(target),
    )
  }

  removeTarget(id: string): void {
    this.#database.run("DELETE FROM notice_deliveries WHERE target = ? AND state = 'waiting'", [id])
    const { changes } = this.#database.run("DELETE FROM notice_targets WHERE id = ?", [id])
    if (changes === 0) throw refusals.noNoticeTarget(id)
  }

  list(accounts: readonly string[] | null, before: number | null, limit: number): NoticeRecord[] {
    const conditions = new Conditions()
    conditions.among("account", accounts ?? undefined)
    conditions.add("number < ?", before ?? undefined)
    const rows = this.#database
      .query<NoticeRow, (string | bigint)[]>(
        `SELECT number, id, account, type, at, data FROM notices ${conditions.where}
         ORDER BY number DESC LIMIT ?`,
      )
      .all(...conditions.values, BigInt(limit))
    const deliveries = this.#database
      .query<DeliveryRow, [string]>(
        `SELECT notice, target, state, attempts, at, error FROM notice_deliveries
         WHERE notice IN (SELECT value FROM json_each(?)) ORDER BY notice, target`,
      )
      .all(JSON.stringify(rows.map(({ id }) => id)))
    return noticesFromRows(rows, deliveries)
  }

  raise(notice: NewNotice, mark: MarkChange | null): boolean {
    const { id, account, type, at, data, target = null } = notice
    if (mark !== null && !this.mark(mark, at)) return false
    this.#database.run("INSERT INTO notices (id, account, type, at, data) VALUES (?, ?, ?, ?, ?)", [
      id,
      account,
      type,
      BigInt(at),
      data,
    ])
    this.#database.run(
      `INSERT INTO notice_deliveries
       SELECT ?1, id, 'waiting', 0, ?2, NULL FROM notice_targets
       WHERE (account IS NULL OR account = ?3) AND (?5 IS NULL OR id = ?5)
         AND (types IS NULL OR ?4 IN (SELECT value FROM json_each(types)))`,
      [id, BigInt(at), account, type, target],
    )
    return true
  }

  mark({ name, from, to }: MarkChange, at: number): boolean {
    const run = (sql: string, values: (string | bigint)[]) =>
      this.#database.run(sql, values).changes > 0
    if (from === null) {
      if (to === null) return true
      return run("INSERT INTO notice_marks VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [
        name,
        to,
        BigInt(at),
      ])
    }
    if (to === null)
      return run("DELETE FROM notice_marks WHERE name = ? AND value = ?", [name, from])
    return run("UPDATE notice_marks SET value = ?, at = ? WHERE name = ? AND value = ?", [
      to,
      BigInt(at),
      name,
      from,
    ])
  }

  marks(prefix: string): Map<string, string> {
    const rows = this.#database
      .query<{ name: string; value: string }, [string]>(
        "SELECT name, value FROM notice_marks WHERE substr(name, 1, length(?1)) = ?1",
      )
      .all(prefix)
    return new Map(rows.map(({ name, value }) => [name, value]))
  }

  lowBalances(limit: number): LowBalance[] {
    return this.#database
      .query<LowBalance, [bigint]>(
        `SELECT targets.id AS target, accounts.id AS account, posted AS balance, balance_below AS below
         FROM notice_targets AS targets
         JOIN accounts ON targets.account IS NULL OR targets.account = accounts.id
         JOIN balances ON owner = accounts.id
         WHERE posted < balance_below LIMIT ?`,
      )
      .all(BigInt(limit))
  }

  heldAccounts(limit: number): HeldAccount[] {
    return this.#database
      .query<HeldAccount, [bigint]>(
        "SELECT id AS account, state FROM accounts WHERE state <> 'active' LIMIT ?",
      )
      .all(BigInt(limit))
  }

  spentBudgets(at: number, limit: number): SpentBudget[] {
    return this.#database
      .query<SpentBudget, [string, string, bigint]>(
        `SELECT owner, coalesce(keys.account, accounts.id) AS account, allotted - posted AS spent, allotted AS "limit"
         FROM balances
         LEFT JOIN keys ON keys.id = ${BUDGET_HOLDER}
         LEFT JOIN accounts ON accounts.id = ${BUDGET_HOLDER}
         WHERE allotted > 0 AND (allotted - posted) * 2 >= allotted AND revoked_at IS NULL
           AND coalesce(keys.account, accounts.id) IS NOT NULL
           AND (instr(owner, '@') = 0 OR substr(owner, instr(owner, '@')) IN (?1, ?2)) LIMIT ?3`,
      )
      .all(budgetOwner("", "day", at), budgetOwner("", "month", at), BigInt(limit))
  }

  claim(now: number, until: number, limit: number): DueDelivery[] {
    const taken = this.#database
      .query<DeliveryRow, [bigint, bigint, bigint]>(
        `UPDATE notice_deliveries SET at = ?2, attempts = attempts + 1 WHERE (notice, target) IN
           (SELECT notice, target FROM notice_deliveries
            WHERE state = 'waiting' AND at <= ?1 ORDER BY at LIMIT ?3)
         RETURNING notice, target, attempts - 1 AS attempts`,
      )
      .all(BigInt(now), BigInt(until), BigInt(limit))
    const notices = this.#database
      .query<NoticeRow, [string]>(
        `SELECT number, id, account, type, at, data FROM notices
         WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(taken.map(({ notice }) => notice)))
    const targets = this.#database
      .query<TargetRow, [string]>(
        `SELECT ${TARGET_COLUMNS} FROM notice_targets WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(taken.map(({ target }) => target)))
    return dueFromRows(taken, notices, targets)
  }

  report({ notice, target, at, error, nextAt }: DeliveryResult): void {
    const state = error === null ? "delivered" : nextAt === null ? "failed" : "waiting"
    this.#database.run(
      "UPDATE notice_deliveries SET state = ?, at = ?, error = ? WHERE notice = ? AND target = ?",
      [state, BigInt(nextAt ?? at), error, notice, target],
    )
  }

  prune(before: number): void {
    const moment = [BigInt(before)]
    this.#database.run(
      "DELETE FROM notice_deliveries WHERE notice IN (SELECT id FROM notices WHERE at < ?)",
      moment,
    )
    this.#database.run("DELETE FROM notices WHERE at < ?", moment)
    this.#database.run("DELETE FROM notice_marks WHERE at < ?", moment)
  }
}

export function noticeMethods(
  transactions: Transactions,
  notices: Notices,
): DirectStore["notices"] {
  return {
    targets: (accounts) => notices.targets(accounts),
    findTarget: (id) => notices.findTarget(id),
    insertTarget: (target, audit) =>
      transactions.audited(audit, () => notices.insertTarget(target)),
    removeTarget: (id, audit) => transactions.audited(audit, () => notices.removeTarget(id)),
    list: (accounts, before, limit) =>
      transactions.consistently(() => notices.list(accounts, before, limit)),
    raise: (notice, mark) => transactions.atomically(() => notices.raise(notice, mark)),
    mark: (change, at) => transactions.atomically(() => notices.mark(change, at)),
    marks: (prefix) => notices.marks(prefix),
    heldAccounts: (limit) => notices.heldAccounts(limit),
    lowBalances: (limit) => notices.lowBalances(limit),
    spentBudgets: (at, limit) => notices.spentBudgets(at, limit),
    claim: (now, until, limit) => transactions.atomically(() => notices.claim(now, until, limit)),
    report: (result) => transactions.atomically(() => notices.report(result)),
    prune: (before) => transactions.atomically(() => notices.prune(before)),
  }
}
