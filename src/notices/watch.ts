import type { BackupSettings } from "../config/sections/storage.ts"
import { readPeriodOwner } from "../accounting/budget-periods.ts"
import { formatCredits } from "../ledger/money.ts"
import type { SpentBudget } from "../store/notices.ts"
import type { Store } from "../store/store.ts"
import { backupAge } from "./backup-age.ts"
import type { NoticeAlarms, Notices } from "./notices.ts"

/** Interval of passes. In each interval, only one of all processes makes a pass. */
const PASS_INTERVAL_MS = 15_000
/** Maximum rows that one pass reads. Further rows are processed when some of these no longer apply. */
const MAX_ROWS = 1_000
const RETENTION_MS = 90 * 86_400_000
const PASSES_PER_PRUNE = 240
/** Number of passes between two checks of the spending rate of accounts. */
const PASSES_PER_PACE_CHECK = 4
/** Percentages of a budget that trigger a notice. */
const BUDGET_STEPS = [100n, 80n, 50n] as const
/** Time between the notice of a price change and the change. */
const LEAD_TIME_MS = 86_400_000
/** Prefix of the marks of price changes. The time of the change follows. */
const PRICE_MARK_PREFIX = "prices:"
/** Maximum accounts and requests that a notice names. */
const MAX_NAMED = 5

/** A scheduled price change. */
export interface ScheduledPrice {
  readonly model: string
  /** Time of the change in Unix milliseconds. */
  readonly at: number
  /** Whether the change recurs every week. Other changes have a date. */
  readonly isRecurring: boolean
  readonly parts: readonly {
    readonly name: string
    readonly before: string | null
    readonly after: string | null
  }[]
}

export interface WatchParts {
  readonly store: Pick<Store, "backups" | "notices" | "settlements">
  readonly notices: Notices
  readonly alarms: NoticeAlarms
  /** Returns the active settings. */
  readonly backup: () => BackupSettings
  /** Returns known price changes. */
  readonly upcoming: (now: number) => readonly ScheduledPrice[]
  /** Pauses accounts that spend too fast. */
  readonly pace: (now: number) => Promise<void>
  /** Interval of passes in milliseconds; set by tests. */
  readonly every?: number
}

/**
 * Checks accounts, balances, budgets, write-offs, backups and scheduled prices, and sends notices of changes. All
 * processes of all machines take turns. A mark records each notice, so that the notice is sent only once.
 */
export class Watch implements AsyncDisposable {
  readonly #parts: WatchParts
  readonly #every: number
  readonly #timer: ReturnType<typeof setInterval>
  #pass: Promise<void> | undefined
  #turns = 0

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#every = parts.every ?? PASS_INTERVAL_MS
    this.#timer = setInterval(() => {
      this.#pass ??= this.#turn().finally(() => (this.#pass = undefined))
    }, this.#every)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#pass
  }

  async #turn(): Promise<void> {
    const { store, alarms } = this.#parts
    try {
      const now = Date.now()
      const last = (await store.notices.marks("turn")).get("turn") ?? null
      // The recorded pass is in the future if the clock was set back in the meantime.
      if (last !== null && Math.abs(now - Number(last)) < this.#every * 0.9) return
      const turn = { name: "turn", from: last, to: String(now) }
      if (await store.notices.mark(turn, now)) await this.check(now)
    } catch (error) {
      alarms.noticesFailed(error)
    }
  }

  /** Sends notices of all changes since the last pass. */
  async check(now: number): Promise<void> {
    if (this.#turns % PASSES_PER_PACE_CHECK === 0) await this.#parts.pace(now)
    await this.#held(now)
    await this.#balances(now)
    await this.#budgets(now)
    await this.#writeOffs(now)
    await this.#backups(now)
    await this.#prices(now)
    if (this.#turns++ % PASSES_PER_PRUNE === 0)
      await this.#parts.store.notices.prune(now - RETENTION_MS)
  }

  async #balances(now: number): Promise<void> {
    const { store, notices } = this.#parts
    const low = await store.notices.lowBalances(MAX_ROWS)
    const marks = await store.notices.marks("balance:")
    const names = new Set<string>()
    for (const { target, account, balance, below } of low) {
      const name = `balance:${target}:${account}`
      names.add(name)
      if (marks.has(name)) continue
      const data = { balance: formatCredits(balance), below: formatCredits(below) }
      const mark = { name, from: null, to: "low" }
      await notices.raise({ type: "balance.low", account, data, mark, target })
    }
    if (low.length < MAX_ROWS) await this.#removeMarks(marks, names, now)
  }

  /** Reports accounts that were paused or closed, regardless of who did this. */
  async #held(now: number): Promise<void> {
    const { store, notices } = this.#parts
    const held = await store.notices.heldAccounts(MAX_ROWS)
    const marks = await store.notices.marks("held:")
    const names = new Set<string>()
    for (const { account, state } of held) {
      const name = `held:${account}`
      names.add(name)
      const from = marks.get(name) ?? null
      if (from === state) continue
      const mark = { name, from, to: state }
      await notices.raise({ type: "account.paused", account, data: { state }, mark })
    }
    if (held.length < MAX_ROWS) await this.#removeMarks(marks, names, now)
  }

  async #budgets(now: number): Promise<void> {
    const { store, notices } = this.#parts
    const spent = await store.notices.spentBudgets(now, MAX_ROWS)
    const marks = await store.notices.marks("budget:")
    const names = new Set<string>()
    for (const budget of spent) {
      const name = `budget:${budget.owner}`
      names.add(name)
      const from = marks.get(name) ?? null
      const step = stepOf(budget)
      const mark = { name, from, to: String(step) }
      if (step > BigInt(from ?? 0)) {
        const data = budgetData(budget, step)
        await notices.raise({ type: "budget.spent", account: budget.account, data, mark })
      } else if (mark.to !== from) await store.notices.mark(mark, now)
    }
    if (spent.length < MAX_ROWS) await this.#removeMarks(marks, names, now)
  }

  /** Removes the marks of conditions that no longer apply. If a condition returns, a notice is sent again. */
  async #removeMarks(
    marks: ReadonlyMap<string, string>,
    names: ReadonlySet<string>,
    now: number,
  ): Promise<void> {
    for (const [name, from] of marks) {
      if (!names.has(name)) await this.#parts.store.notices.mark({ name, from, to: null }, now)
    }
  }

  async #writeOffs(now: number): Promise<void> {
    const { store, notices } = this.#parts
    const name = "write_offs"
    const from = (await store.notices.marks(name)).get(name) ?? null
    const newest = await store.settlements.listWriteOffs(undefined, null, MAX_ROWS)
    const to = String(newest[0]?.number ?? 0)
    if (to === from) return
    // Write-offs before the first pass are not reported.
    if (from === null) return void (await store.notices.mark({ name, from, to }, now))
    const found = newest.filter(({ number }) => number > Number(from))
    const data = {
      count: Number(to) - Number(from),
      amount: formatCredits(found.reduce((sum, { amount }) => sum + amount, 0n)),
      reasons: [...new Set(found.map(({ reason }) => reason))],
      accounts: [...new Set(found.map(({ account }) => account))].slice(0, MAX_NAMED),
      requests: found.map(({ request }) => request).slice(0, MAX_NAMED),
    }
    await notices.raise({ type: "write_off", data, mark: { name, from, to } })
  }

  /** Sends one notice per model and date, one day in advance. A mark stores the models of earlier notices. */
  async #prices(now: number): Promise<void> {
    const { store, notices, upcoming } = this.#parts
    const marks = await store.notices.marks(PRICE_MARK_PREFIX)
    const due = upcoming(now).filter(
      ({ at, isRecurring }) => !isRecurring && at - now <= LEAD_TIME_MS,
    )
    for (const [at, changes] of Map.groupBy(due, (change) => change.at)) {
      const name = `${PRICE_MARK_PREFIX}${at}`
      const from = marks.get(name) ?? null
      const known = from === null ? [] : from.split(" ")
      const fresh = changes.filter(({ model }) => !known.includes(model))
      if (fresh.length === 0) continue
      const models = [...new Set(fresh.map(({ model }) => model))]
      const data = { at: new Date(at).toISOString(), models, changes: fresh.map(changeText) }
      const mark = { name, from, to: [...known, ...models].join(" ") }
      await notices.raise({ type: "price.scheduled", data, mark })
    }
    for (const [name, from] of marks) {
      const isOver = Number(name.slice(PRICE_MARK_PREFIX.length)) <= now
      if (isOver) await store.notices.mark({ name, from, to: null }, now)
    }
  }

  /** Sends one notice per overdue backup. */
  async #backups(now: number): Promise<void> {
    const { store, notices, backup } = this.#parts
    const name = "backup"
    const { last, every, isOverdue } = backupAge(await store.backups.list(), backup(), now)
    const from = (await store.notices.marks(name)).get(name) ?? null
    const to = isOverdue ? String(last?.at ?? "none") : null
    if (to === from) return
    const mark = { name, from, to }
    if (!isOverdue) return void (await store.notices.mark(mark, now))
    const data = {
      last: last === null ? null : new Date(last.at).toISOString(),
      place: last?.place ?? null,
      every_ms: every,
    }
    await notices.raise({ type: "backup.overdue", data, mark })
  }
}

/** Formats a price change: `openai/gpt-5: input 1 to 2, output 4 to 8`. */
function changeText({ model, parts }: ScheduledPrice): string {
  return `${model}: ${parts.map(({ name, before, after }) => `${name} ${before} to ${after}`).join(", ")}`
}

function stepOf({ spent, limit }: SpentBudget): bigint {
  return BUDGET_STEPS.find((step) => spent * 100n >= limit * step) ?? 0n
}

function budgetData({ owner, account, spent, limit }: SpentBudget, step: bigint) {
  const { holder, period } = readPeriodOwner(owner) ?? { holder: owner, period: "total" as const }
  return {
    /** The key; null for the budget of the whole account. */
    key: holder === account ? null : holder,
    period,
    percent: Number(step),
    spent: formatCredits(spent),
    budget: formatCredits(limit),
  }
}
