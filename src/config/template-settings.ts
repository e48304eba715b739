import type { AccountTemplate } from "#contract/accounts.ts"
import { amount, number, text } from "./scalars.ts"

const CREDIT_PLACES = 9
const MOST = 1_000_000
const WHOLE = "whole number"

/** The names of a template for accounts, apart from `models`. */
export const templateScalars = {
  credits: amount(CREDIT_PLACES).optional(),
  requests_per_minute: number(1, MOST, WHOLE).optional(),
  tokens_per_minute: number(1, 1_000_000_000, WHOLE).optional(),
  concurrent_requests: number(1, MOST, WHOLE).optional(),
  max_keys: number(0, MOST, WHOLE).optional(),
  max_invitations: number(0, MOST, WHOLE).optional(),
  max_hourly_pace: number(2, 1_000, WHOLE).optional(),
  daily_budget: amount(CREDIT_PLACES).optional(),
  monthly_budget: amount(CREDIT_PLACES).optional(),
  price_group: text().optional(),
}

type FileTemplates = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The parsed section of the file, by name. */
export function templateSettings(
  section: FileTemplates,
): Readonly<Record<string, AccountTemplate>> {
  const templates = Object.entries(section).map(
    ([name, template]) =>
      [
        name,
        Object.fromEntries(
          Object.entries(template).filter(([, value]) => value !== undefined && value !== null),
        ),
      ] as const,
  )
  return Object.fromEntries(templates)
}
