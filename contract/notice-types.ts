/** Types of notices that concern an account. The other types concern the operator. */
export const ACCOUNT_NOTICES = ["balance.low", "budget.spent", "account.paused"] as const
export const OPERATOR_NOTICES = [
  "write_off",
  "usage.unpriced",
  "price.below_cost",
  "payment.rejected",
  "credential.rejected",
  "deployment.cooling_down",
  "deployment.recovered",
  "price.changed",
  "price.scheduled",
  "backup.overdue",
] as const
/** The type of a notice that is sent on request, to check that a target can be reached. */
export const TEST_NOTICE = "test"

export type NoticeType =
  | (typeof ACCOUNT_NOTICES)[number]
  | (typeof OPERATOR_NOTICES)[number]
  | typeof TEST_NOTICE
