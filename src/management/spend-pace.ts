import { HOUR_MS, WEEK_MS } from "#contract/durations.ts"
import { formatCredits } from "../ledger/money.ts"
import type { AccountRecord } from "../store/accounts.ts"
import type { Reports, RequestReports } from "../store/reports.ts"
import type { Store } from "../store/store.ts"
import { type Actor, COMMAND_LINE } from "./actor.ts"
import type { Audit } from "./audit.ts"

/** Minimum number of hours with spending. With fewer, no usual spending is computed. */
const MIN_HOURS = 24

const AUTOMATIC: Actor = { ...COMMAND_LINE, name: "max_hourly_spend_ratio" }

export interface SpendPaceParts {
  readonly store: Pick<Store, "accounts" | "notices">
  readonly audit: Audit
  readonly reports: Reports
}

/**
 * Pauses accounts that spend many times their usual amount in an hour, for example because a key was leaked or an agent
 * runs in a loop. The usual amount is the mean of those hours of the last week in which the account spent anything.
 */
export class SpendPace {
  readonly #parts: SpendPaceParts

  constructor(parts: SpendPaceParts) {
    this.#parts = parts
  }

  /**
   * Checks all active accounts that have the limit `max_hourly_spend_ratio`. Without such accounts, no requests are
   * read.
   */
  async checkAll(now: number): Promise<void> {
    const accounts = await this.#parts.store.accounts.list()
    const watched = accounts.filter(({ state, limits }) => state === "active" && limits.pace)
    if (watched.length === 0) return
    const reports = await this.#parts.reports.upToDate()
    for (const account of watched) await this.#check(account, reports, now)
  }

  async #check(account: AccountRecord, reports: RequestReports, now: number): Promise<void> {
    const { id, limits } = account
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS
    const hours = await reports.sumUsage(
      { accounts: [id], from: hour - WEEK_MS, to: now + 1 },
      "hour",
    )
    const spent = hours.find(({ group }) => group === String(hour))?.cost ?? 0n
    const before = hours.filter(({ group, cost }) => group !== String(hour) && cost > 0n)
    if (before.length < MIN_HOURS) return
    const sum = before.reduce((total, { cost }) => total + cost, 0n)
    const count = BigInt(before.length)
    if (spent * count > BigInt(limits.pace ?? 0) * sum) {
      await this.#pause(id, { hour: String(hour), spent, usual: sum / count })
    }
  }

  /**
   * Pauses an account at most once an hour, because an operator who resumes it within the hour has already seen the
   * notice.
   */
  async #pause(
    id: string,
    {
      hour,
      spent,
      usual,
    }: { readonly hour: string; readonly spent: bigint; readonly usual: bigint },
  ): Promise<void> {
    const { store, audit } = this.#parts
    const name = `pace:${id}`
    const from = (await store.notices.marks(name)).get(name) ?? null
    if (from === hour || !(await store.notices.mark({ name, from, to: hour }, Number(hour)))) return
    const reason = { spent_this_hour: formatCredits(spent), usual_hour: formatCredits(usual) }
    await audit.perform(
      AUTOMATIC,
      {
        action: "account.change",
        account: id,
        target: id,
        before: { state: "active" },
        after: { state: "paused", ...reason },
      },
      (record) => store.accounts.update(id, { state: "paused" }, record),
    )
  }
}
