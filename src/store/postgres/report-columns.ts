import { SUM_NAMES, type SumName } from "../request-names.ts"

/** The columns of receipts that are only stored for reports. */
const REPORT_COLUMNS = [
  "endpoint",
  "model",
  "provider",
  "price_group",
  "status",
  "failed",
  "stream",
  "estimated",
  "duration",
  "first_byte",
  "input",
  "output",
  "labels",
] as const
export type ReportColumn = (typeof REPORT_COLUMNS)[number]

/** The names that are null in receipts without them. */
const OPTIONAL: ReadonlySet<SumName> = new Set<SumName>(["provider", "price_group"])

/** The columns for reports as SQL. */
export const REPORTED = REPORT_COLUMNS.join(", ")
/** The names of sums as SQL. */
export const NAMES = SUM_NAMES.join(", ")
/** The names of receipts as sums store them. */
export const NAMES_OF_RECEIPT = SUM_NAMES.map((name) =>
  OPTIONAL.has(name) ? `coalesce(${name}, '') AS ${name}` : name,
).join(", ")
/** The positions of an hour and the names in a select list. */
export const PLACES = ["hour", ...SUM_NAMES].map((_, index) => index + 1).join(", ")
