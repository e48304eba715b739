import { BillError, readAmount, readQuantity } from "./bill.ts"

export const DAY_MS = 86_400_000

/** One row of a CSV file. */
export interface FileRow {
  readonly cells: readonly string[]
  /** Its first line in the file, from 1 on. */
  readonly line: number
}

const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})(?=$|[T ])/
const AMERICAN_DAY = /^(\d{2})\/(\d{2})\/(\d{4})$/

/** The beginning of a row's day, Unix milliseconds. @throws BillError */
export function dayOf(row: Pick<FileRow, "line">, text: string): number {
  const iso = ISO_DAY.exec(text)
  const american = iso === null ? AMERICAN_DAY.exec(text) : null
  const day = iso?.[0] ?? (american && `${american[3]}-${american[1]}-${american[2]}`)
  const at = day ? Date.parse(day) : Number.NaN
  // The parser takes the 31st of any month for a day of the next.
  if (!Number.isNaN(at) && day && new Date(at).toISOString().startsWith(day)) return at
  throw fault(row, `'${text}' is no day`, "Write days as 2026-11-21")
}

/** @throws BillError */
export function amountOf(row: Pick<FileRow, "line">, text: string) {
  return numberOf(row, text, (plain) => readAmount(plain))
}

const UNIT = /(\d+)?\s*(k|m|thousand|million)?(?![a-z])/i

/**
 * Whole units, of an amount in thousands or millions.
 * @throws BillError
 */
export function quantityOf(row: FileRow, text: string, unit: string): bigint {
  const [, count = "1", scale = ""] = UNIT.exec(unit.trim()) ?? []
  const factor = /^[k]|^th/i.test(scale) ? 1_000n : /^m/i.test(scale) ? 1_000_000n : 1n
  return numberOf(row, text, (plain) => readQuantity(plain, BigInt(count) * factor))
}

/** A number, with or without the dollar's sign and commas between thousands. */
function numberOf<Value>(
  row: Pick<FileRow, "line">,
  text: string,
  read: (plain: string) => Value | undefined,
): Value {
  const bare = text.replace(/^(-?)\$/, "$1")
  const plain = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare) ? bare.replaceAll(",", "") : bare
  try {
    const value = read(plain)
    if (value !== undefined) return value
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw fault(row, `'${text.slice(0, 60)}' ${error.message}`, "Correct it or leave the row out")
  }
  throw fault(row, `'${text.slice(0, 60)}' is no number`, "Write numbers as 1234.56")
}

export function otherCurrency(row: Pick<FileRow, "line">, currency: string): BillError {
  return fault(
    row,
    `its currency is '${currency}', and prices are in US dollars`,
    "Export the bill in USD, or convert its amounts",
  )
}

/** @param correction what to do, without a full stop. */
export function fault(
  { line }: Pick<FileRow, "line">,
  words: string,
  correction: string,
): BillError {
  return new BillError(`line ${line}: ${words}`, `${correction}.`)
}
