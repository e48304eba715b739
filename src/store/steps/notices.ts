import { OF_ACCOUNT } from "../../accounting/budget-periods.ts"
import type {
  DeliveryLimits,
  DeliveryResult,
  DueDelivery,
  HeldAccount,
  LowBalance,
  MarkChange,
  NewNotice,
  NoticeDelivery,
  NoticeRecord,
  NoticeTarget,
  SpentBudget,
} from "../notices.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { BUDGET_HOLDER, PERIOD_POSITION, periodsAt } from "./budgets.ts"
import { column, RecordColumns } from "./record-columns.ts"
import { contains, oneOf, perEngine, SKIP_LOCKED, type Sql, sql, where } from "./sql.ts"
import { rows, run, statements, type Step, type StepMethods, transaction } from "./step.ts"

type DeliveredNotice = DueDelivery["notice"]

const TARGET = new RecordColumns<NoticeTarget>({
  id: "text",
  account: "text",
  channel: "text",
  hint: "text",
  encrypted: "text",
  types: "json",
  balanceBelow: "bigint",
  createdAt: "number",
})
const NOTICE = new RecordColumns<DeliveredNotice>({
  id: "text",
  account: "text",
  type: "text",
  at: "number",
  data: "text",
})
const LISTED = new RecordColumns<Omit<NoticeRecord, "deliveries">>({
  number: "number",
  id: "text",
  account: "text",
  type: "text",
  at: "number",
  data: "text",
})
const DELIVERY = new RecordColumns<NoticeDelivery>({
  target: "text",
  state: "text",
  attempts: "number",
  at: "number",
  error: "text",
})
/** A claimed delivery with the number of its previous attempts. */
const CLAIMED = new RecordColumns<
  Pick<NoticeDelivery, "target" | "attempts"> & { readonly notice: string }
>({
  notice: "text",
  target: "text",
  attempts: column("number", sql`attempts - 1`),
})
/**
 * Maximum targets with due deliveries that a claim reads. It exceeds the number of targets that can be at their limit
 * of concurrent deliveries, because an account has at most ten targets.
 */
const MAX_DUE_TARGETS = 100

export const noticeSteps: StepMethods<Store["notices"]> = {
  targets: statements(targets),
  findTarget: statements(findTarget),
  insertTarget: transaction((target, audit) => audited(audit, insertTarget(target))),
  removeTarget: transaction((id, audit) => audited(audit, removeTarget(id))),
  list: statements(list),
  raise: transaction(raise),
  mark: transaction(changeMark),
  marks: statements(marks),
  heldAccounts: statements(heldAccounts),
  lowBalances: statements(lowBalances),
  spentBudgets: statements(spentBudgets),
  claim: transaction(claim),
  report: statements(report),
  prune: transaction(prune),
}

function targets(accounts: readonly string[] | null): Step<NoticeTarget[]> {
  return TARGET.rows(
    sql`SELECT ${TARGET.selected} FROM notice_targets ${where(
      accounts && sql`account ${oneOf(accounts)}`,
    )} ORDER BY created_at, id`,
  )
}

function findTarget(id: string): Step<NoticeTarget | null> {
  return TARGET.row(sql`SELECT ${TARGET.selected} FROM notice_targets WHERE id = ${id}`)
}

function* insertTarget(target: NoticeTarget): Step<void> {
  yield* run(sql`INSERT INTO notice_targets (${TARGET.names}) VALUES (${TARGET.values(target)})`, {
    notice_targets_account_fkey: () => rejections.noAccount(target.account ?? ""),
  })
}

function* removeTarget(id: string): Step<void> {
  yield* run(sql`DELETE FROM notice_deliveries WHERE target = ${id} AND state = 'pending'`)
  const removed = yield* run(sql`DELETE FROM notice_targets WHERE id = ${id}`)
  if (removed === 0) throw rejections.noNoticeTarget(id)
}

function* list(
  accounts: readonly string[] | null,
  before: number | null,
  limit: number,
): Step<NoticeRecord[]> {
  const notices = yield* LISTED.rows(
    sql`SELECT ${LISTED.selected} FROM notices ${where(
      accounts && sql`account ${oneOf(accounts)}`,
      before !== null && sql`number < ${before}`,
    )} ORDER BY number DESC LIMIT ${limit}`,
  )
  const deliveries = yield* rows<{ readonly notice: string }>(
    sql`SELECT notice, ${DELIVERY.selected} FROM notice_deliveries
      WHERE notice ${oneOf(notices.map(({ id }) => id))} ORDER BY notice, target`,
  )
  const byNotice = Map.groupBy(deliveries, ({ notice }) => notice)
  return notices.map((notice) => ({
    ...notice,
    deliveries: (byNotice.get(notice.id) ?? []).map((delivery) => DELIVERY.read(delivery)),
  }))
}

function* raise(notice: NewNotice, mark: MarkChange | null): Step<boolean> {
  const { id, account, type, at, target } = notice
  if (mark !== null && !(yield* changeMark(mark, at))) return false
  yield* run(sql`INSERT INTO notices (${NOTICE.names}) VALUES (${NOTICE.values(notice)})`)
  const isOfType = perEngine({
    sqlite: sql`${type} IN (SELECT value FROM json_each(types))`,
    postgresql: sql`types::jsonb ? ${type}`,
  })
  yield* run(
    sql`INSERT INTO notice_deliveries (notice, target, state, attempts, at)
      SELECT ${id}, id, 'pending', 0, ${at} FROM notice_targets ${where(
        sql`(account IS NULL OR account = ${account})`,
        sql`(types IS NULL OR ${isOfType})`,
        target !== undefined && sql`id = ${target}`,
      )}`,
  )
  return true
}

function* changeMark({ name, from, to }: MarkChange, at: number): Step<boolean> {
  if (from === null && to === null) return true
  const isOld = sql`name = ${name} AND value = ${from}`
  const change =
    to === null
      ? sql`DELETE FROM notice_marks WHERE ${isOld}`
      : from === null
        ? sql`INSERT INTO notice_marks (name, value, at) VALUES (${name}, ${to}, ${at}) ON CONFLICT DO NOTHING`
        : sql`UPDATE notice_marks SET value = ${to}, at = ${at} WHERE ${isOld}`
  return (yield* run(change)) > 0
}

function* marks(prefix: string): Step<Map<string, string>> {
  const start = sql`CAST(${prefix} AS text)`
  const found = yield* rows<{ name: string; value: string }>(
    sql`SELECT name, value FROM notice_marks WHERE substr(name, 1, length(${start})) = ${start}`,
  )
  return new Map(found.map(({ name, value }) => [name, value]))
}

function* lowBalances(limit: number): Step<LowBalance[]> {
  const found = yield* rows<LowBalance>(
    sql`SELECT targets.id AS target, accounts.id AS account, posted AS balance, balance_below AS below
      FROM notice_targets AS targets
      JOIN accounts ON targets.account IS NULL OR targets.account = accounts.id
      JOIN balances ON owner = accounts.id
      WHERE posted < balance_below LIMIT ${limit}`,
  )
  return [...found]
}

function* heldAccounts(limit: number): Step<HeldAccount[]> {
  const found = yield* rows<HeldAccount>(
    sql`SELECT id AS account, state FROM accounts WHERE state <> 'active' LIMIT ${limit}`,
  )
  return [...found]
}

function* spentBudgets(at: number, limit: number): Step<SpentBudget[]> {
  const [day, month] = periodsAt(at)
  const found = yield* rows<SpentBudget>(
    sql`SELECT owner, coalesce(keys.account, accounts.id) AS account, allotted - posted AS spent, allotted AS "limit"
      FROM balances
      LEFT JOIN keys ON keys.id = ${BUDGET_HOLDER}
      LEFT JOIN accounts ON accounts.id = ${BUDGET_HOLDER}
      WHERE allotted > 0 AND (allotted - posted) * 2 >= allotted AND revoked_at IS NULL
        AND NOT ${contains(sql`owner`, OF_ACCOUNT)} AND coalesce(keys.account, accounts.id) IS NOT NULL
        AND (${PERIOD_POSITION} = 0 OR substr(owner, ${PERIOD_POSITION}) IN (${day}, ${month})) LIMIT ${limit}`,
  )
  return [...found]
}

/** Claims due deliveries until the time `until`. Afterwards, other processes may claim them. */
function* claim(now: number, until: number, limits: DeliveryLimits): Step<DueDelivery[]> {
  const { after, perTarget } = limits
  const later = yield* dueTargets(sql`target > ${after}`, now, perTarget)
  const earlier = yield* dueTargets(sql`target <= ${after}`, now, perTarget)
  const waiting = [...later, ...earlier]
  const claimed = []
  for (const [target, limit] of sharesOf(waiting, limits)) {
    const ofTarget = yield* CLAIMED.rows(
      sql`UPDATE notice_deliveries SET at = ${until}, attempts = attempts + 1 WHERE (notice, target) IN
          (SELECT notice, target FROM notice_deliveries
           WHERE state = 'pending' AND at <= ${now} AND target = ${target}
           ORDER BY at LIMIT ${limit} ${SKIP_LOCKED})
        RETURNING ${CLAIMED.selected}`,
    )
    claimed.push(...ofTarget)
  }
  const notices = yield* NOTICE.rows(
    sql`SELECT ${NOTICE.selected} FROM notices WHERE id ${oneOf(claimed.map(({ notice }) => notice))}`,
  )
  const found = yield* TARGET.rows(
    sql`SELECT ${TARGET.selected} FROM notice_targets WHERE id ${oneOf(claimed.map(({ target }) => target))}`,
  )
  const noticeOf = new Map(notices.map((notice) => [notice.id, notice]))
  const targetOf = new Map(found.map((target) => [target.id, target]))
  return claimed.flatMap(({ notice: noticeId, target: targetId, attempts }) => {
    const [notice, target] = [noticeOf.get(noticeId), targetOf.get(targetId)]
    return notice && target ? [{ notice, target, attempts }] : []
  })
}

/**
 * Lists targets with due deliveries in the order of their ids. Each step of the recursion finds the next target with
 * the index, so that the cost depends on the number of targets, not on the number of their deliveries.
 */
function* dueTargets(range: Sql, now: number, perTarget: number): Step<readonly WaitingTarget[]> {
  const waiting = sql`FROM notice_deliveries WHERE state = 'pending'`
  return yield* rows<WaitingTarget>(
    sql`WITH RECURSIVE found (id) AS (
        SELECT min(target) ${waiting} AND ${range}
        UNION ALL
        SELECT (SELECT min(target) ${waiting} AND target > found.id AND ${range}) FROM found WHERE id IS NOT NULL
      )
      SELECT * FROM (
        SELECT id, (SELECT account FROM notice_targets WHERE notice_targets.id = found.id) AS account,
          (SELECT count(*) FROM (
            SELECT 1 ${waiting} AND target = found.id AND at <= ${now} LIMIT ${perTarget}) AS due) AS count
        FROM found WHERE id IS NOT NULL) AS counted
      WHERE count > 0 LIMIT ${MAX_DUE_TARGETS}`,
  )
}

function* report({ notice, target, at, error, nextAt }: DeliveryResult): Step<void> {
  const state = error === null ? "delivered" : nextAt === null ? "failed" : "pending"
  yield* run(
    sql`UPDATE notice_deliveries SET state = ${state}, at = ${nextAt ?? at}, error = ${error}
      WHERE notice = ${notice} AND target = ${target}`,
  )
}

function* prune(before: number): Step<void> {
  yield* run(sql`DELETE FROM notices WHERE at < ${before}`)
  yield* run(sql`DELETE FROM notice_marks WHERE at < ${before}`)
}

/** A target with due deliveries. */
interface WaitingTarget {
  readonly id: string
  readonly account: string | null
  /** Number of due deliveries, not counted beyond the limit of a target. */
  readonly count: bigint
}

/**
 * Distributes the remaining concurrent deliveries among targets.
 * @param waiting targets in the order in which they are served.
 * @returns the maximum deliveries to claim for each target.
 */
function sharesOf(
  waiting: readonly WaitingTarget[],
  { total, perAccount, perTarget, running }: DeliveryLimits,
): Map<string, number> {
  const ofAccount = new Map<string | null, number>()
  const ofTarget = new Map<string, number>()
  for (const { id, account } of running) {
    ofAccount.set(account, (ofAccount.get(account) ?? 0) + 1)
    ofTarget.set(id, (ofTarget.get(id) ?? 0) + 1)
  }
  const shares = new Map<string, number>()
  let free = total - running.length
  for (const { id, account, count } of waiting) {
    const used = ofAccount.get(account) ?? 0
    const room = Math.min(perTarget - (ofTarget.get(id) ?? 0), perAccount - used, free)
    const share = Math.min(Number(count), room)
    if (share <= 0) continue
    shares.set(id, share)
    ofAccount.set(account, used + share)
    free -= share
  }
  return shares
}
