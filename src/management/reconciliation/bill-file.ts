import { DAY_MS } from "#contract/durations.ts"
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import { type CsvError, parse } from "csv-parse"
import type { TimeRange } from "../../store/settlements.ts"
import {
  type Bill,
  BillError,
  type BillRow,
  classOf,
  isPriceName,
  readAmount,
  readQuantity,
} from "./bill.ts"
import {
  BILL_FORMATS,
  type BillField,
  type BillHeader,
  type FileRow,
  headerOf,
  lineError,
  MODEL_SERVICES,
  otherCurrency,
} from "./bill-formats.ts"

/** Maximum lines before and including the header. Google's cost table, for example, begins with data of the invoice. */
const MAX_HEADER_LINES = 30
const MAX_RECORD_BYTES = 1024 * 1024

/**
 * Reads an exported bill.
 * @param columns the operator's names of the columns, for a file in another format.
 * @throws BillError with the line and the solution.
 */
export async function readBillFile(
  path: string,
  days: TimeRange,
  columns?: ReadonlyMap<BillField, string>,
): Promise<Bill> {
  const rows: BillRow[] = []
  const lines = new Map<string, number>()
  let header: BillHeader | undefined
  let first: FileRow | undefined
  let skipped = 0
  for await (const row of rowsOf(path)) {
    first ??= row
    if (header === undefined) {
      header = headerOf(row, columns)
      if (header === undefined && row.line > MAX_HEADER_LINES) break
      continue
    }
    const read = readRow(row, header)
    if (read === undefined || read.day < days.from || read.day >= days.until) {
      skipped++
      continue
    }
    const text = JSON.stringify(row.cells)
    const before = lines.get(text)
    if (before !== undefined) {
      throw lineError(
        row.line,
        `it repeats line ${before}`,
        "Export each period once, without overlaps.",
      )
    }
    lines.set(text, row.line)
    rows.push(read)
  }
  if (header === undefined) throw unknownFormat(path, first)
  return { source: basename(path), rows, skipped }
}

async function* rowsOf(path: string): AsyncGenerator<FileRow> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_RECORD_BYTES,
  })
  const file = createReadStream(path)
  // A pipe does not forward errors.
  file.on("error", (error) => parser.destroy(error))
  file.pipe(parser)
  let line = 1
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
      yield { cells: record, line }
      line = info.lines + 1
    }
  } catch (error) {
    if (error instanceof BillError) throw error
    const { code = "", lines } = error as Partial<CsvError & { lines: number }>
    if (!code.startsWith("CSV_")) {
      throw new BillError(`${path} cannot be read: ${(error as Error).message}`, "Name a CSV file.")
    }
    throw new BillError(
      `line ${lines ?? line}: it is not CSV (${code.slice("CSV_".length).toLowerCase()})`,
      "Export the bill again, as CSV with commas and double quotes.",
    )
  } finally {
    file.destroy()
  }
}

interface ParsedRecord {
  readonly record: readonly string[]
  /** `lines` is the line number at the end of the record. */
  readonly info: { readonly lines: number }
}

/**
 * Reads a row.
 * @returns undefined for a row of another service.
 * @throws BillError
 */
function readRow({ cells, line }: FileRow, header: BillHeader): BillRow | undefined {
  const { width, places, isDescribed } = header
  if (cells.length !== width) {
    throw lineError(
      line,
      `it has ${cells.length} cells and the header ${width}`,
      "Export the bill again, or complete the row.",
    )
  }
  const cell = (field: BillField): string => cells[places.get(field) ?? -1] ?? ""
  const model = cell("model")
  if (isDescribed && !MODEL_SERVICES.test(`${cell("service")} ${model}`)) return undefined
  const day = dayOf(line, cell("date"))
  const end = cell("end")
  if (end !== "") {
    // If a row covers several days, its amount cannot be assigned to one of them.
    const last = dayOf(line, end)
    if (last < day || last > day + (header.isEndIncluded ? 0 : DAY_MS)) {
      throw lineError(line, `it covers more than one day, until ${end}`, "Export the bill by day.")
    }
  }
  if (places.has("currency") && cell("currency").toUpperCase() !== "USD") {
    throw otherCurrency(line, cell("currency"))
  }
  const className = cell("class")
  if (className !== "" && !isPriceName(className) && classOf(className) === null) {
    throw lineError(
      line,
      `'${className}' is not a class of usage`,
      "Write input, cached_input or output.",
    )
  }
  return {
    day,
    model,
    isDescription: isDescribed,
    key: cell("key") || null,
    class: classOf(className || (isDescribed ? model : "")),
    quantity: cell("quantity") === "" ? null : quantityOf(line, cell("quantity"), cell("unit")),
    ...numberOf(line, cell("cost"), (plain) => readAmount(plain)),
    tiers: [],
    requests: null,
  }
}

const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})(?=$|[T ])/
const AMERICAN_DAY = /^(\d{2})\/(\d{2})\/(\d{4})$/

/**
 * Returns the start of a row's day in Unix milliseconds.
 * @throws BillError
 */
function dayOf(line: number, text: string): number {
  const iso = ISO_DAY.exec(text)
  const american = iso === null ? AMERICAN_DAY.exec(text) : null
  const day = iso?.[0] ?? (american && `${american[3]}-${american[1]}-${american[2]}`)
  const at = day ? Date.parse(day) : Number.NaN
  // `Date.parse` accepts a 31st in shorter months, as a day of the next month.
  if (!Number.isNaN(at) && day && new Date(at).toISOString().startsWith(day)) return at
  throw lineError(line, `'${text}' is not a day`, "Write days as 2026-11-21.")
}

const UNIT = /(\d+)?\s*(k|m|thousand|million)?(?![a-z])/i

/**
 * Reads a quantity in single units. For example, `1.5` with the unit `1K tokens` is 1,500.
 * @throws BillError
 */
function quantityOf(line: number, text: string, unit: string): bigint {
  const [, count = "1", scale = ""] = UNIT.exec(unit.trim()) ?? []
  const factor = /^[k]|^th/i.test(scale) ? 1_000n : /^m/i.test(scale) ? 1_000_000n : 1n
  return numberOf(line, text, (plain) => readQuantity(plain, BigInt(count) * factor))
}

/**
 * Reads a number that may have a dollar sign, and commas between thousands.
 * @throws BillError
 */
function numberOf<Value>(line: number, text: string, read: (plain: string) => Value): Value {
  const bare = text.replace(/^(-?)\$/, "$1")
  const plain = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare) ? bare.replaceAll(",", "") : bare
  try {
    return read(plain)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw lineError(
      line,
      `'${text.slice(0, 60)}' ${error.message}`,
      "Write numbers as 1234.56, or remove the row.",
    )
  }
}

function unknownFormat(path: string, first: FileRow | undefined): BillError {
  if (first === undefined) return new BillError(`${path} is empty`, "Export the bill again.")
  const known = BILL_FORMATS.map(({ name }) => name).join(", ")
  return lineError(
    first.line,
    "its columns are unknown",
    `Known formats: ${known}. For others, use --columns date=...,model=...,cost=...`,
  )
}
