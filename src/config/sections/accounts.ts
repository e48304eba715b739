import type { AccountTemplate } from "#contract/accounts.ts"
import { setting } from "../declare.ts"
import { amount, text, wholeNumber } from "../scalars.ts"
import { entry, list, name, record } from "../shapes.ts"

const CREDIT_PLACES = 9
const MAX_LIMIT = 1_000_000

const TEMPLATE_NAME = name(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
  "must be a name of letters, digits, '-' and '_'",
)

const template = entry({
  credits: amount(CREDIT_PLACES).optional(),
  requests_per_minute: wholeNumber(1, MAX_LIMIT).optional(),
  tokens_per_minute: wholeNumber(1, 1_000_000_000).optional(),
  concurrent_requests: wholeNumber(1, MAX_LIMIT).optional(),
  max_keys: wholeNumber(0, MAX_LIMIT).optional(),
  max_invitations: wholeNumber(0, MAX_LIMIT).optional(),
  max_hourly_spend_ratio: wholeNumber(2, 1_000).optional(),
  daily_budget: amount(CREDIT_PLACES).optional(),
  monthly_budget: amount(CREDIT_PLACES).optional(),
  price_group: text().optional(),
  models: list(text()).optional(),
}).transform(
  // The contract's types declare mutable lists.
  (own) => own as AccountTemplate,
)

export const ACCOUNTS = {
  /** Initial credits and limits of new accounts, by name. */
  accountTemplates: setting(record(TEMPLATE_NAME, template), {
    isNullable: true,
    otherwise: "none",
    documentation:
      "initial credits and settings of new accounts, by name of the template: `{ trial: { credits: 1, models: [openai/*], daily_budget: 0.5, max_keys: 2 } }`, with the [limits](../run/budgets.md#account-limits-and-suspension) of accounts",
  }),
}
