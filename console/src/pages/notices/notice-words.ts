import {
  ACCOUNT_NOTICES,
  OPERATOR_NOTICES,
  type NoticeType,
} from "tollgate-contract/notice-types.ts"
import type { NoticeTarget } from "tollgate-contract/notices.ts"

/** What each notice is of, in a few words. */
const WORDS: Readonly<Record<NoticeType, string>> = {
  "balance.low": "Low balance",
  "budget.spent": "Budget spent",
  "account.paused": "Account paused",
  write_off: "Write-off",
  "usage.unpriced": "Usage without a price",
  "payment.rejected": "Card payment not applied",
  "credential.refused": "Credential refused",
  "deployment.resting": "Deployment avoided",
  "deployment.recovered": "Deployment recovered",
  "price.changed": "New list prices",
  "price.scheduled": "Prices change tomorrow",
  "backup.old": "Backup overdue",
  test: "Test",
}

/** A type that a newer gateway knows is shown as it is. */
export function noticeWords(type: string): string {
  return (WORDS as Readonly<Record<string, string>>)[type] ?? type
}

/** What a target may be told of: an account's is told of the account alone. */
export function noticeChoices(isOperators: boolean): { value: string; label: string }[] {
  const types = isOperators ? [...ACCOUNT_NOTICES, ...OPERATOR_NOTICES] : ACCOUNT_NOTICES
  return types.map((type) => ({ value: type, label: noticeWords(type) }))
}

export const CHANNELS = [
  { value: "webhook", label: "Webhook" },
  { value: "slack", label: "Slack" },
  { value: "mail", label: "Email" },
]

export function channelWords(channel: NoticeTarget["channel"]): string {
  return CHANNELS.find(({ value }) => value === channel)?.label ?? channel
}
