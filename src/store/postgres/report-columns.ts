import { SUM_NAMES, type SumName } from "../request-names.ts"

/** The columns of receipts that are only stored for reports, with their types. */
const REPORT_COLUMNS = {
  endpoint: "text",
  model: "text",
  provider: "text",
  price_group: "text",
  status: "text",
  failed: "boolean",
  stream: "boolean",
  estimated: "boolean",
  duration: "bigint",
  first_byte: "bigint",
  input: "bigint",
  output: "bigint",
  labels: "text",
}
export type ReportColumn = keyof typeof REPORT_COLUMNS

/** The names that are null in receipts without them. */
const OPTIONAL: ReadonlySet<SumName> = new Set<SumName>(["provider", "price_group"])

/** The columns for reports as SQL. */
export const REPORTED = Object.keys(REPORT_COLUMNS).join(", ")
/** The names of sums as SQL. */
export const NAMES = SUM_NAMES.join(", ")
/** The names of receipts as sums store them. */
export const NAMES_OF_RECEIPT = SUM_NAMES.map((name) =>
  OPTIONAL.has(name) ? `coalesce(${name}, '') AS ${name}` : name,
).join(", ")
/** The positions of an hour and the names in a select list. */
export const PLACES = ["hour", ...SUM_NAMES].map((_, index) => index + 1).join(", ")

const LISTS: Readonly<Record<string, string>> = {
  "{report_columns}": REPORTED,
  "{typed_report_columns}": Object.entries(REPORT_COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(", "),
  "{names}": NAMES,
  "{names_of_receipt}": NAMES_OF_RECEIPT,
  "{places}": PLACES,
}

/** Replaces the placeholders for lists of columns in a routine. */
export function withLists(routine: string): string {
  return routine
    .replace(/\{\w+\}/g, (placeholder) => LISTS[placeholder] ?? placeholder)
    .replace(/\{(\w)\.names\}/g, (_, table: string) =>
      SUM_NAMES.map((name) => `${table}.${name}`).join(", "),
    )
}
