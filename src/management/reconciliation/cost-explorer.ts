import { type BillRow, classOf, tiersOf } from "./bill.ts"
import { amountOf, dayOf, type FileRow } from "./bill-cells.ts"

const IN_DOLLARS = /\(\$\)$/

/**
 * Whether a header is one of AWS Cost Explorer's CSV: a dimension, then a column of dollars for each of its values, and
 * the total. https://docs.aws.amazon.com/cost-management/latest/userguide/ce-exploring-data.html
 */
export function isCostExplorer(header: readonly string[]): boolean {
  const [, ...values] = header
  return values.length > 0 && values.every((name) => IN_DOLLARS.test(name))
}

/** The amounts of one day, of a report by usage type; none for the row with the totals. */
export function costExplorerRows(header: readonly string[], row: FileRow): BillRow[] {
  const [date = "", ...amounts] = row.cells
  if (/ total$/i.test(date)) return []
  const day = dayOf(row, date)
  return amounts.flatMap((text, index) => {
    const model = (header[index + 1] ?? "").replace(IN_DOLLARS, "").trim()
    if (text === "" || /^total costs?$/i.test(model)) return []
    const { amount, places } = amountOf(row, text)
    if (amount === 0n) return []
    return {
      day,
      model,
      isDescription: true,
      key: null,
      class: classOf(model),
      quantity: null,
      amount,
      places,
      tiers: tiersOf(model),
      requests: null,
    }
  })
}
