/** What a column of a bill says. */
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

/** The columns of an exported bill, by what they say; of several names the first that is there. */
export interface BillFormat {
  readonly name: string
  readonly columns: Readonly<Partial<Record<BillField, readonly string[]>>>
  /** Whether the last day of a row is the day of its `end`: elsewhere it is the day before. */
  readonly isEndIncluded?: true
  /** Whether `model` describes usage for people. */
  readonly isDescribed: boolean
  /** Rows with another service are left out; absent: none are. */
  readonly services?: RegExp
}

const SERVICES =
  /vertex|gemini|generative language|agent platform|bedrock|claude|openai|cognitive|foundry|azure ai/i

/**
 * The exports of the clouds. Column names are matched without regard to case.
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
    isDescribed: true,
    services: SERVICES,
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
    isDescribed: true,
    services: SERVICES,
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
    isDescribed: true,
    services: SERVICES,
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
    isDescribed: true,
    services: SERVICES,
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
    isDescribed: true,
    services: SERVICES,
  },
]

/** The fields that every bill has. */
export const REQUIRED_FIELDS: readonly BillField[] = ["date", "model", "cost"]

/** Which column of a header each field is in. */
export type FieldPlaces = ReadonlyMap<BillField, number>

/** The format of a header with the places of its columns; undefined if it has none of these. */
export function recognizeFormat(
  header: readonly string[],
  formats: readonly BillFormat[] = BILL_FORMATS,
): { readonly format: BillFormat; readonly places: FieldPlaces } | undefined {
  const names = header.map((name) => name.trim().toLowerCase())
  for (const format of formats) {
    const places = new Map<BillField, number>()
    for (const field of BILL_FIELDS) {
      const place = (format.columns[field] ?? []).map((name) => names.indexOf(name)).find(isThere)
      if (place !== undefined) places.set(field, place)
    }
    const required = [...REQUIRED_FIELDS, ...(format.columns.currency ? CURRENCY : [])]
    if (required.every((field) => places.has(field))) return { format, places }
  }
  return undefined
}

const CURRENCY = ["currency"] as const

function isThere(place: number): boolean {
  return place !== -1
}
