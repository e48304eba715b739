import {
  ACCOUNT_NOTICES,
  OPERATOR_NOTICES,
  type NoticeType,
} from "tollgate-contract/notice-types.ts"
import type { NoticeTarget } from "tollgate-contract/notices.ts"
import { t } from "../../languages/text.ts"

/** Short labels of the notice types. */
const WORDS: Readonly<Record<NoticeType, string>> = {
  "balance.low": t("Low balance"),
  "budget.spent": t("Budget spent"),
  "account.paused": t("Account paused"),
  write_off: t("Write-off"),
  "usage.unpriced": t("Usage without a price"),
  "price.below_cost": t("Price below the provider’s cost"),
  "payment.rejected": t("Card payment not applied"),
  "credential.rejected": t("Credential rejected"),
  "deployment.cooling_down": t("Deployment cooling down"),
  "deployment.recovered": t("Deployment recovered"),
  "price.changed": t("New list prices"),
  "price.scheduled": t("Prices change tomorrow"),
  "backup.overdue": t("Backup overdue"),
  test: t("Test"),
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
  { value: "webhook", label: t("Webhook") },
  { value: "slack", label: t("Slack") },
  { value: "email", label: t("Email") },
]

export function channelWords(channel: NoticeTarget["channel"]): string {
  return CHANNELS.find(({ value }) => value === channel)?.label ?? channel
}
