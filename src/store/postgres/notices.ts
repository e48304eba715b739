import { budgetOwner, OF_ACCOUNT } from "../../accounting/budget-periods.ts"
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
import type { Store } from "../store.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { isViolationOf } from "./failure.ts"
import type { StoreParts } from "./store-parts.ts"

export function noticeMethods({ client, audited }: StoreParts): Store["notices"] {
  return {
    targets: (accounts) => targets(client, accounts),
    findTarget: (id) => findTarget(client, id),
    insertTarget: (target, audit) =>
      audited(audit, (transaction) => insertTarget(transaction, target)),
    removeTarget: (id, audit) => audited(audit, (transaction) => removeTarget(transaction, id)),
    list: (accounts, before, limit) => list(client, accounts, before, limit),
    raise: (notice, mark) => client.transaction((step) => raise(step, notice, mark)),
    mark: (change, at) => client.transaction((step) => changeMark(step, change, at)),
    marks: (prefix) => marks(client, prefix),
    heldAccounts: (limit) => heldAccounts(client, limit),
    lowBalances: (limit) => lowBalances(client, limit),
    spentBudgets: (at, limit) => spentBudgets(client, at, limit),
    claim: (now, until, limit) => client.transaction((step) => claim(step, { now, until, limit })),
    report: (result) => report(client, result),
    prune: (before) => client.transaction((step) => prune(step, before)),
  }
}

async function targets(
  statements: Statements,
  accounts: readonly string[] | null,
): Promise<NoticeTarget[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts ?? undefined)
  const rows = await statements.rows<TargetRow>(
    `SELECT ${TARGET_COLUMNS} FROM notice_targets ${conditions.where} ORDER BY created_at, id`,
    conditions.values,
  )
  return rows.map(targetFromRow)
}

async function findTarget(statements: Statements, id: string): Promise<NoticeTarget | null> {
  const row = await statements.row<TargetRow>(
    `SELECT ${TARGET_COLUMNS} FROM notice_targets WHERE id = $1`,
    [id],
  )
  return row && targetFromRow(row)
}

async function insertTarget(transaction: Statements, target: NoticeTarget): Promise<void> {
  try {
    await transaction.run(
      `INSERT INTO notice_targets (${TARGET_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      targetValues(target),
    )
  } catch (error) {
    if (!isViolationOf(error, "notice_targets_account_fkey")) throw error
    throw refusals.noAccount(target.account ?? "")
  }
}

async function removeTarget(transaction: Statements, id: string): Promise<void> {
  await transaction.run("DELETE FROM notice_deliveries WHERE target = $1 AND state = 'waiting'", [
    id,
  ])
  const removed = await transaction.run("DELETE FROM notice_targets WHERE id = $1", [id])
  if (removed === 0) throw refusals.noNoticeTarget(id)
}

async function list(
  statements: Statements,
  accounts: readonly string[] | null,
  before: number | null,
  limit: number,
): Promise<NoticeRecord[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts ?? undefined)
  conditions.add("number < ?", before ?? undefined)
  const rows = await statements.rows<NoticeRow>(
    `SELECT number, id, account, type, at, data FROM notices ${conditions.where}
     ORDER BY number DESC LIMIT ${conditions.place(BigInt(limit))}`,
    conditions.values,
  )
  const deliveries = await statements.rows<DeliveryRow>(
    `SELECT notice, target, state, attempts, at, error FROM notice_deliveries
     WHERE notice = ANY($1) ORDER BY notice, target`,
    [texts(rows.map(({ id }) => id))],
  )
  return noticesFromRows(rows, deliveries)
}

async function raise(
  transaction: Statements,
  { id, account, type, at, data, target }: NewNotice,
  mark: MarkChange | null,
): Promise<boolean> {
  const only: string | null = target ?? null
  if (mark !== null && !(await changeMark(transaction, mark, at))) return false
  await transaction.run(
    "INSERT INTO notices (id, account, type, at, data) VALUES ($1, $2, $3, $4, $5)",
    [id, account, type, BigInt(at), data],
  )
  await transaction.run(
    `INSERT INTO notice_deliveries (notice, target, state, attempts, at)
     SELECT $1, id, 'waiting', 0, $2 FROM notice_targets
     WHERE (account IS NULL OR account = $3) AND ($5::text IS NULL OR id = $5)
       AND (types IS NULL OR types::jsonb ? $4)`,
    [id, BigInt(at), account, type, only],
  )
  return true
}

async function changeMark(
  transaction: Statements,
  { name, from, to }: MarkChange,
  at: number,
): Promise<boolean> {
  const moment = BigInt(at)
  if (from === null) {
    if (to === null) return true
    const insert = "INSERT INTO notice_marks (name, value, at) VALUES ($1, $2, $3)"
    return (await transaction.run(`${insert} ON CONFLICT DO NOTHING`, [name, to, moment])) > 0
  }
  const changed =
    to === null
      ? transaction.run("DELETE FROM notice_marks WHERE name = $1 AND value = $2", [name, from])
      : transaction.run(
          "UPDATE notice_marks SET value = $3, at = $4 WHERE name = $1 AND value = $2",
          [name, from, to, moment],
        )
  return (await changed) > 0
}

async function marks(statements: Statements, prefix: string): Promise<Map<string, string>> {
  const rows = await statements.rows<{ name: string; value: string }>(
    "SELECT name, value FROM notice_marks WHERE starts_with(name, $1)",
    [prefix],
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

async function lowBalances(statements: Statements, limit: number): Promise<LowBalance[]> {
  const rows = await statements.rows<LowBalance>(
    `SELECT targets.id AS target, balances.account, posted AS balance, balance_below AS below
     FROM notice_targets AS targets
     JOIN balances ON targets.account IS NULL OR targets.account = balances.account
     WHERE owner = balances.account AND posted < balance_below LIMIT $1`,
    [BigInt(limit)],
  )
  return [...rows]
}

async function heldAccounts(statements: Statements, limit: number): Promise<HeldAccount[]> {
  const rows = await statements.rows<HeldAccount>(
    "SELECT id AS account, state FROM accounts WHERE state <> 'active' LIMIT $1",
    [BigInt(limit)],
  )
  return rows.map(({ account, state }) => ({ account, state }))
}

async function spentBudgets(
  statements: Statements,
  at: number,
  limit: number,
): Promise<SpentBudget[]> {
  const rows = await statements.rows<SpentBudget>(
    `SELECT owner, balances.account, allotted - posted AS spent, allotted AS "limit" FROM balances
     LEFT JOIN keys ON keys.id = split_part(owner, '@', 1)
     WHERE allotted > 0 AND (allotted - posted) * 2 >= allotted AND revoked_at IS NULL
       AND strpos(owner, '${OF_ACCOUNT}') = 0
       AND (strpos(owner, '@') = 0 OR substr(owner, strpos(owner, '@')) IN ($1, $2)) LIMIT $3`,
    [budgetOwner("", "day", at), budgetOwner("", "month", at), BigInt(limit)],
  )
  return [...rows]
}

interface Claim {
  readonly now: number
  readonly until: number
  readonly limit: number
}

async function claim(
  transaction: Statements,
  { now, until, limit }: Claim,
): Promise<DueDelivery[]> {
  const taken = await transaction.rows<DeliveryRow>(
    `UPDATE notice_deliveries SET at = $2, attempts = attempts + 1 WHERE (notice, target) IN
       (SELECT notice, target FROM notice_deliveries
        WHERE state = 'waiting' AND at <= $1 ORDER BY at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING notice, target, attempts - 1 AS attempts`,
    [BigInt(now), BigInt(until), BigInt(limit)],
  )
  const notices = await transaction.rows<NoticeRow>(
    "SELECT number, id, account, type, at, data FROM notices WHERE id = ANY($1)",
    [texts(taken.map(({ notice }) => notice))],
  )
  const found = await transaction.rows<TargetRow>(
    `SELECT ${TARGET_COLUMNS} FROM notice_targets WHERE id = ANY($1)`,
    [texts(taken.map(({ target }) => target))],
  )
  return dueFromRows(taken, notices, found)
}

async function report(
  statements: Statements,
  { notice, target, at, error, nextAt }: DeliveryResult,
): Promise<void> {
  const state = error === null ? "delivered" : nextAt === null ? "failed" : "waiting"
  await statements.run(
    "UPDATE notice_deliveries SET state = $1, at = $2, error = $3 WHERE notice = $4 AND target = $5",
    [state, BigInt(nextAt ?? at), error, notice, target],
  )
}

async function prune(transaction: Statements, before: number): Promise<void> {
  const moment = [BigInt(before)]
  await transaction.run("DELETE FROM notices WHERE at < $1", moment)
  await transaction.run("DELETE FROM notice_marks WHERE at < $1", moment)
}
