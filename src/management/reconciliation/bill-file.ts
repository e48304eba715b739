import { createReadStream } from "node:fs"
import { basename } from "node:path"
import { type CsvError, parse } from "csv-parse"
import {
  type Bill,
  BillError,
  type BillRow,
  classOf,
  type Days,
  isPriceName,
  tiersOf,
} from "./bill.ts"
import {
  BILL_FIELDS,
  BILL_FORMATS,
  type BillField,
  type BillFormat,
  type FieldPlaces,
  recognizeFormat,
  REQUIRED_FIELDS,
} from "./bill-formats.ts"
import {
  amountOf,
  DAY_MS,
  dayOf,
  fault,
  type FileRow,
  otherCurrency,
  quantityOf,
} from "./bill-cells.ts"
import { costExplorerRows, isCostExplorer } from "./cost-explorer.ts"

/** Lines in which the header is looked for: Google's cost table begins with the data of the invoice. */
const MAX_HEADER_LINES = 30
const MAX_RECORD_BYTES = 1024 * 1024

/** The header of a file, with what its columns say. */
interface Header {
  readonly cells: readonly string[]
  readonly format: BillFormat
  readonly places: FieldPlaces
}

/**
 * Reads an exported bill.
 * @param columns the columns of a file of another format, by field, as the operator maps them.
 * @throws BillError with the line and the correction.
 */
export async function readBillFile(
  path: string,
  days: Days,
  columns?: ReadonlyMap<BillField, string>,
): Promise<Bill> {
  const rows: BillRow[] = []
  const seen = new Map<string, number>()
  let header: Header | undefined
  let wide: readonly string[] | undefined
  let first: FileRow | undefined
  let skipped = 0
  const take = (row: FileRow, found: readonly BillRow[]) => {
    const wanted = found.filter(({ day }) => day >= days.from && day < days.until)
    if (wanted.length === 0) {
      skipped++
      return
    }
    const text = JSON.stringify(row.cells)
    const before = seen.get(text)
    if (before !== undefined) {
      throw fault(row, `it repeats line ${before}`, "Export each period once, without overlaps")
    }
    seen.set(text, row.line)
    rows.push(...wanted)
  }
  for await (const row of rowsOf(path)) {
    first ??= row
    if (header === undefined && wide === undefined) {
      if (columns === undefined && isCostExplorer(row.cells)) wide = row.cells
      else header = headerOf(row, columns)
      if (header === undefined && row.line > MAX_HEADER_LINES) break
      continue
    }
    checkWidth(row, header?.cells ?? wide ?? [])
    if (wide !== undefined) take(row, costExplorerRows(wide, row))
    else if (header !== undefined) take(row, rowsIn(row, header))
  }
  if (header === undefined && wide === undefined) throw unknownFormat(path, first)
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
  // A pipe does not pass errors on.
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
      `line ${lines ?? line}: it is no CSV (${code.slice("CSV_".length).toLowerCase()})`,
      "Export the bill again, as CSV with commas and double quotes.",
    )
  } finally {
    file.destroy()
  }
}

interface ParsedRecord {
  readonly record: readonly string[]
  /** `lines`: those read up to the end of this record. */
  readonly info: { readonly lines: number }
}

/** @returns undefined for a row that is no header. @throws BillError */
function headerOf(
  { cells, line }: FileRow,
  columns: ReadonlyMap<BillField, string> | undefined,
): Header | undefined {
  if (columns !== undefined) {
    const found = recognizeFormat(cells, [mappedFormat(columns)])
    const missing = [...columns.values()].filter(
      (name) => !cells.some((cell) => cell.toLowerCase() === name.toLowerCase()),
    )
    if (found !== undefined && missing.length === 0) return { cells, ...found }
    throw fault(
      { line },
      `it has no column ${missing.map((name) => `'${name}'`).join(", ")}`,
      `Map the columns that it has with --columns: ${cells.slice(0, 40).join(", ")}`,
    )
  }
  const found = recognizeFormat(cells)
  if (found !== undefined) return { cells, ...found }
  const other = cells.find((cell) => /^(?:unrounded )?cost \((?!\$\))/i.test(cell))
  if (other !== undefined && cells.length > 2) throw otherCurrency({ line }, other)
  return undefined
}

function mappedFormat(columns: ReadonlyMap<BillField, string>): BillFormat {
  const names = [...columns].map(([field, name]) => [field, [name.toLowerCase()]] as const)
  return { name: "mapped columns", columns: Object.fromEntries(names), isDescribed: false }
}

/** The fields of `date=Day,model=Model,cost=Cost`. @throws BillError */
export function readColumns(text: string): ReadonlyMap<BillField, string> {
  const columns = new Map<BillField, string>()
  for (const part of text.split(",")) {
    const at = part.indexOf("=")
    const field = BILL_FIELDS.find((name) => name === part.slice(0, at).trim())
    const name = part.slice(at + 1).trim()
    if (field === undefined || name === "" || columns.has(field)) {
      throw new BillError(
        `'${part}' in --columns is no field with its column`,
        `Write field=column, each once: ${BILL_FIELDS.join(", ")}.`,
      )
    }
    columns.set(field, name)
  }
  const missing = REQUIRED_FIELDS.filter((field) => !columns.has(field))
  if (missing.length === 0) return columns
  throw new BillError(`--columns lacks ${missing.join(", ")}`, "Map date, model and cost at least.")
}

/** None for a row of another service. */
function rowsIn(row: FileRow, { format, places }: Header): BillRow[] {
  const cell = (field: BillField): string => row.cells[places.get(field) ?? -1] ?? ""
  const service = `${cell("service")} ${cell("model")}`
  if (format.services !== undefined && !format.services.test(service)) return []
  const day = dayOf(row, cell("date"))
  checkEnd(row, { day, end: cell("end"), isEndIncluded: format.isEndIncluded === true })
  if (places.has("currency") && cell("currency").toUpperCase() !== "USD") {
    throw otherCurrency(row, cell("currency"))
  }
  const { amount, places: digits } = amountOf(row, cell("cost"))
  const model = cell("model")
  const className = cell("class")
  if (className !== "" && !isPriceName(className) && classOf(className) === null) {
    throw fault(row, `'${className}' is no class of usage`, "Write input, cached_input or output")
  }
  const quantity = cell("quantity")
  return [
    {
      day,
      model,
      isDescription: format.isDescribed,
      key: cell("key") || null,
      class: classOf(className || (format.isDescribed ? model : "")),
      quantity: quantity === "" ? null : quantityOf(row, quantity, cell("unit")),
      amount,
      places: digits,
      tiers: format.isDescribed ? tiersOf(model) : [],
      requests: null,
    },
  ]
}

interface RowEnd {
  readonly day: number
  readonly end: string
  readonly isEndIncluded: boolean
}

/** Rejects a row of several days: which day its amount belongs to is unknown. */
function checkEnd(row: FileRow, { day, end, isEndIncluded }: RowEnd): void {
  if (end === "") return
  const last = dayOf(row, end)
  if (last >= day && last <= day + (isEndIncluded ? 0 : DAY_MS)) return
  throw fault(row, `it is not of one day but until ${end}`, "Export the bill by the day")
}

function checkWidth(row: FileRow, header: readonly string[]): void {
  if (row.cells.length === header.length) return
  throw fault(
    row,
    `it has ${row.cells.length} cells and the header ${header.length}`,
    "Export the bill again, or complete the row",
  )
}

function unknownFormat(path: string, first: FileRow | undefined): BillError {
  if (first === undefined) return new BillError(`${path} is empty`, "Export the bill again.")
  const known = BILL_FORMATS.map(({ name }) => name).join(", ")
  return fault(
    first,
    "its columns are unknown",
    `Known are: ${known}, AWS Cost Explorer. Map others with --columns date=...,model=...,cost=...`,
  )
}
