import {
  ACCOUNT_NOTICES,
  OPERATOR_NOTICES,
  type NoticeType,
} from "tollgate-contract/notice-types.ts"
import type { NoticeTarget } from "tollgate-contract/notices.ts"

/** Short labels of the notice types. */
const WORDS: Readonly<Record<NoticeType, string>> = {
  "balance.low": "Low balance",
  "budget.spent": "Budget spent",
  "account.paused": "Account paused",
  write_off: "Write-off",
  "usage.unpriced": "Usage without a price",
  "payment.rejected": "Card payment not applied",
  "credential.rejected": "Credential rejected",
  "deployment.cooling_down": "Deployment cooling down",
  "deployment.recovered": "Deployment recovered",
  "price.changed": "New list prices",
  "price.scheduled": "Prices change tomorrow",
  "backup.overdue": "Backup overdue",
  test: "Test",
}

/** Returns the label of a type. Types of a newer gateway have no label and are returned unchanged. */
export function noticeWords(type: string): string {
  return (WORDS as Readonly<Record<string, string>>)[type] ?? type
}

/** Returns the notice types that a target can select. An account's target receives only notices of its account. */
export function noticeChoices(isOperators: boolean): { value: string; label: string }[] {
  const types = isOperators ? [...ACCOUNT_NOTICES, ...OPERATOR_NOTICES] : ACCOUNT_NOTICES
  return types.map((type) => ({ value: type, label: noticeWords(type) }))
}

export const CHANNELS = [
  { value: "webhook", label: "Webhook" },
  { value: "slack", label: "Slack" },
  { value: "email", label: "Email" },
]

export function channelWords(channel: NoticeTarget["channel"]): string {
  return CHANNELS.find(({ value }) => value === channel)?.label ?? channel
}
