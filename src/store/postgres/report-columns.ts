import { SUM_NAMES } from "../request-names.ts"

/** The columns of receipts that are only stored for reports, with their types. */
const REPORT_COLUMNS = {
  endpoint: "text",
  model: "text",
  provider: "text",
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

/** The same columns as SQL. */
export const REPORTED = Object.keys(REPORT_COLUMNS).join(", ")
/** The names of sums as SQL. */
export const NAMES = SUM_NAMES.join(", ")
/** The names of receipts as sums store them. The only name that may be null is the provider. */
export const NAMES_OF_RECEIPT = NAMES.replace("provider", "coalesce(provider, '') AS provider")
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
