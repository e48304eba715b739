import { BillError } from "./bill.ts"

/** The kinds of data in a bill's columns. */
export const BILL_FIELDS = [
  "date",
  "end",
  "model",
  "key",
  "class",
  "cost",
  "currency",
  "quantity",
  "unit",
  "service",
] as const
export type BillField = (typeof BILL_FIELDS)[number]

/** The columns of an exported bill. */
interface BillFormat {
  readonly name: string
  /** Possible column names of each field, in lowercase. The first name that the header contains is used. */
  readonly columns: Readonly<Partial<Record<BillField, readonly string[]>>>
  /** Whether a row includes the day of its `end`. Otherwise its last day is the day before. */
  readonly isEndIncluded?: true
}

/** Matches services of cloud vendors that bill models. */
export const MODEL_SERVICES =
  /vertex|gemini|generative language|agent platform|bedrock|claude|openai|cognitive|foundry|azure ai/i

/**
 * Exports of the clouds.
 * - Google: https://docs.cloud.google.com/billing/docs/how-to/export-data-bigquery-tables/standard-usage and the cost
 *   table of the console, whose amounts have their currency in the header: "Cost ($)".
 * - AWS: https://docs.aws.amazon.com/cur/latest/userguide/Lineitem-columns.html: `lineItem/UnblendedCost`; "All times
 *   are in UTC", "time intervals include the start time and exclude the end time".
 * - Azure: https://learn.microsoft.com/en-us/azure/cost-management-billing/dataset-schema/schema-index:
 *   `CostInBillingCurrency`.
 * - FOCUS, which all three export: https://focus.finops.org/focus-specification/: `BilledCost`, `ChargePeriodStart`.
 */
export const BILL_FORMATS: readonly BillFormat[] = [
  {
    name: "Google Cloud cost table",
    columns: {
      date: ["usage start date"],
      end: ["usage end date"],
      model: ["sku description"],
      service: ["service description"],
      cost: ["unrounded cost ($)", "cost ($)"],
      quantity: ["usage amount"],
      unit: ["usage unit"],
    },
    isEndIncluded: true,
  },
  {
    name: "Google Cloud BigQuery export",
    columns: {
      date: ["usage_start_time"],
      end: ["usage_end_time"],
      model: ["sku.description", "sku_description"],
      service: ["service.description", "service_description"],
      cost: ["cost"],
      currency: ["currency"],
      quantity: ["usage.amount", "usage_amount"],
      unit: ["usage.unit", "usage_unit"],
    },
  },
  {
    name: "AWS Cost and Usage Report",
    columns: {
      date: ["lineitem/usagestartdate", "line_item_usage_start_date"],
      end: ["lineitem/usageenddate", "line_item_usage_end_date"],
      model: ["lineitem/usagetype", "line_item_usage_type"],
      service: ["lineitem/productcode", "line_item_product_code"],
      cost: ["lineitem/unblendedcost", "line_item_unblended_cost"],
      currency: ["lineitem/currencycode", "line_item_currency_code"],
      quantity: ["lineitem/usageamount", "line_item_usage_amount"],
      unit: ["pricing/unit", "pricing_unit"],
    },
  },
  {
    name: "Azure cost export",
    columns: {
      date: ["date", "usagedatetime", "usagedate"],
      model: ["metername"],
      service: ["metercategory"],
      cost: ["costinbillingcurrency"],
      currency: ["billingcurrency", "billingcurrencycode"],
      quantity: ["quantity", "usagequantity"],
      unit: ["unitofmeasure"],
    },
  },
  {
    name: "FOCUS export",
    columns: {
      date: ["chargeperiodstart"],
      end: ["chargeperiodend"],
      model: ["skumeter", "chargedescription"],
      service: ["servicename"],
      cost: ["billedcost"],
      currency: ["billingcurrency"],
      quantity: ["consumedquantity"],
      unit: ["consumedunit"],
    },
  },
]

const CURRENCY = ["currency"] as const
const REQUIRED_FIELDS: readonly BillField[] = ["date", "model", "cost"]

/** The fields that `--columns` can name. */
const MAPPED_FIELDS = BILL_FIELDS.filter((field) => field !== "service")

/** A header that was recognized. */
export interface BillHeader {
  readonly width: number
  /** The column number of each field. */
  readonly places: ReadonlyMap<BillField, number>
  readonly isEndIncluded: boolean
  /** Whether `model` is a description for people. If so, rows of other services are skipped. */
  readonly isDescribed: boolean
}

/**
 * Recognizes the header of a bill.
 * @param columns the operator's names of the columns, for a file in another format.
 * @returns undefined for a row that is not a header.
 * @throws BillError
 */
export function headerOf(
  { cells, line }: FileRow,
  columns: ReadonlyMap<BillField, string> | undefined,
): BillHeader | undefined {
  const names = cells.map((name) => name.toLowerCase())
  const width = names.length
  if (columns !== undefined) {
    const missing = [...columns.values()].filter((name) => !names.includes(name.toLowerCase()))
    if (missing.length > 0) {
      throw lineError(
        line,
        `the header has no column ${missing.map((name) => `'${name}'`).join(", ")}`,
        `Name its columns in --columns: ${cells.slice(0, 40).join(", ")}.`,
      )
    }
    const places = new Map(
      [...columns].map(([field, name]) => [field, names.indexOf(name.toLowerCase())]),
    )
    return { width, places, isEndIncluded: false, isDescribed: false }
  }
  for (const { columns: known, isEndIncluded = false } of BILL_FORMATS) {
    const places = new Map<BillField, number>()
    for (const field of BILL_FIELDS) {
      const name = known[field]?.find((one) => names.includes(one))
      if (name !== undefined) places.set(field, names.indexOf(name))
    }
    const required = [...REQUIRED_FIELDS, ...(known.currency ? CURRENCY : [])]
    if (required.every((field) => places.has(field))) {
      return { width, places, isEndIncluded, isDescribed: true }
    }
  }
  const other = cells.find((cell) => /^(?:unrounded )?cost \((?!\$\))/i.test(cell))
  if (other !== undefined && width > 2) throw otherCurrency(line, other)
  return undefined
}

/**
 * Parses the operator's names of columns, such as `date=Day,model=Model,cost=Cost`.
 * @throws BillError
 */
export function readColumns(text: string): ReadonlyMap<BillField, string> {
  const columns = new Map<BillField, string>()
  for (const part of text.split(",")) {
    const at = part.indexOf("=")
    const field = MAPPED_FIELDS.find((name) => name === part.slice(0, at).trim())
    const name = part.slice(at + 1).trim()
    if (field === undefined || name === "" || columns.has(field)) {
      throw new BillError(
        `'${part}' in --columns is not a field and its column`,
        `Write field=column, each field once: ${MAPPED_FIELDS.join(", ")}.`,
      )
    }
    columns.set(field, name)
  }
  const missing = REQUIRED_FIELDS.filter((field) => !columns.has(field))
  if (missing.length === 0) return columns
  throw new BillError(
    `--columns lacks ${missing.join(", ")}`,
    "Name the columns of date, model and cost at least.",
  )
}

/** One row of a CSV file. */
export interface FileRow {
  readonly cells: readonly string[]
  /** Line number at the start of the row, counted from 1. */
  readonly line: number
}

/**
 * Builds the error for a line.
 * @param hint advice for fixing the problem.
 */
export function lineError(line: number, message: string, hint: string): BillError {
  return new BillError(`line ${line}: ${message}`, hint)
}

export function otherCurrency(line: number, currency: string): BillError {
  return lineError(
    line,
    `its currency is '${currency}', and prices are in US dollars`,
    "Export the bill in USD, or convert its amounts.",
  )
}
