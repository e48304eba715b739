import type { NoticeType } from "#contract/notice-types.ts"
import type { DueDelivery } from "../store/notices.ts"

/** A notice in the form in which recipients receive it. */
export interface NoticeMessage {
  readonly id: string
  readonly type: string
  /** The creation time in ISO 8601. */
  readonly created_at: string
  readonly account: { readonly id: string; readonly name: string } | null
  readonly data: Readonly<Record<string, unknown>>
}

export function messageOf(
  { id, type, at, data, account }: DueDelivery["notice"],
  accountName: string,
): NoticeMessage {
  return {
    id,
    type,
    created_at: new Date(at).toISOString(),
    account: account === null ? null : { id: account, name: accountName },
    data: JSON.parse(data) as Readonly<Record<string, unknown>>,
  }
}

const TITLES: Readonly<Record<NoticeType, (fact: (name: string) => string) => string>> = {
  "balance.low": (fact) =>
    `The balance is low: ${fact("balance")} ${fact("balance") === "1" ? "credit is" : "credits are"} left`,
  "budget.spent": (fact) =>
    `${fact("percent")} % of the ${PERIODS[fact("period")] ?? ""}budget of ${fact("key") === "" ? "the account" : `the key ${fact("key")}`} is spent`,
  "account.paused": (fact) => `The account is ${fact("state")}: all requests are rejected`,
  write_off: (fact) => `Requests cost ${fact("amount")} credits that could not be charged`,
  "usage.unpriced": (fact) => `${fact("deployment")} bills '${fact("name")}', which has no price`,
  "price.below_cost": (fact) =>
    `${fact("deployment")} costs ${fact("stated")}, but is priced at ${fact("priced")}`,
  "credential.rejected": (fact) =>
    `${fact("deployment")} is rejected by its provider: ${fact("reason")}`,
  "deployment.cooling_down": (fact) => `${fact("deployment")} is cooling down: ${fact("reason")}`,
  "deployment.recovered": (fact) => `${fact("deployment")} works again`,
  "price.changed": (fact) =>
    fact("state") === "pending"
      ? `A newer price list of ${fact("date")} is pending`
      : `The price list of ${fact("date")} is active`,
  "price.scheduled": (fact) => `Prices change at ${fact("at")}: ${fact("models")}`,
  "payment.rejected": (fact) =>
    `The Stripe event ${fact("event")} (${fact("type")}) was not applied: ${fact("reason")}`,
  "backup.overdue": (fact) =>
    fact("last") === "" ? "There is no backup yet" : `The last backup was made at ${fact("last")}`,
  test: () => "This is a test: notices arrive here",
}

const PERIODS: Readonly<Record<string, string>> = { day: "daily ", month: "monthly " }

/** Returns the title, which is one sentence without a period. */
export function titleOf({ type, data }: NoticeMessage): string {
  const title = TITLES[type as NoticeType]
  return title === undefined ? type : title((name) => textOf(data[name]))
}

/** Returns the contents as lines of readable text. */
export function linesOf({ account, data, created_at, id }: NoticeMessage): string[] {
  return [
    ...(account ? [`account: ${account.name} (${account.id})`] : []),
    ...Object.entries(data).map(
      ([name, value]) => `${name.replaceAll("_", " ")}: ${textOf(value)}`,
    ),
    `time: ${created_at}`,
    `event: ${id}`,
  ]
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ")
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}
