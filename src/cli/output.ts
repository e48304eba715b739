import { emphasis, printable, printableJson, printableLines } from "./printable.ts"
import type { Terminal } from "./terminal.ts"

/** Prints the result of a command. */
export class Output {
  readonly isJson: boolean
  readonly #terminal: Terminal

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal
    this.isJson = isJson
  }

  /**
   * Prints the result, as one JSON document with `--json`, otherwise as text. This method must be called once per
   * command.
   * @param document credit amounts are decimal text, never numbers.
   */
  result(document: object, words: (style: Style) => string): void {
    const { isOutputColored } = this.#terminal
    const text = this.isJson
      ? printableJson(JSON.stringify(document, undefined, 2))
      : printableLines(words(styleOf(isOutputColored)), isOutputColored)
    this.#terminal.writeOutput(`${text}\n`)
  }

  /**
   * Prints a list as a table.
   * @param name the name of the list in the JSON document.
   * @param empty the text for an empty list.
   */
  table<Row extends object>(
    name: string,
    rows: readonly Row[],
    { columns, empty }: { readonly columns: readonly Column<Row>[]; readonly empty: string },
  ): void {
    this.result({ [name]: rows }, (style) =>
      rows.length === 0 ? empty : formatTable(columns, rows, style),
    )
  }

  /**
   * Prints a document as named values.
   * @param line a first line that scripts search for, such as `key: sk-tg-...`; it is not padded.
   */
  fields(document: object, fields: Fields, line?: string): void {
    this.result(document, (style) => {
      const text = formatFields(fields, style)
      return line === undefined ? text : `${line}\n${text}`
    })
  }

  /** Prints a remark that is not part of the result. */
  notice(text: string): void {
    const { isNoticeColored } = this.#terminal
    this.#terminal.writeNotice(`${printableLines(text, isNoticeColored)}\n`)
  }
}

/** Text styles, if the terminal supports them. */
export interface Style {
  strong(text: string): string
  alarm(text: string): string
}

/** @param isColored whether the terminal supports colors. */
export function styleOf(isColored: boolean): Style {
  const paint = (kind: "strong" | "alarm") => (text: string) =>
    isColored ? emphasis(kind) + text + emphasis("end") : text
  return { strong: paint("strong"), alarm: paint("alarm") }
}

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  /** Alignment of the column, left by default. Numbers are aligned right. */
  readonly align?: "left" | "right"
}

const GAP = "  "

/** Formats rows below their titles. Each column is as wide as its widest cell. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  style: Style,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => printable(cell(row))))
  const widths = columns.map((column, index) =>
    Math.max(width(column.title), ...cells.map((row) => width(row[index] ?? ""))),
  )
  const line = (row: readonly string[]) =>
    columns
      .map(({ align }, index) => pad(row[index] ?? "", widths[index] ?? 0, align))
      .join(GAP)
      .trimEnd()
  const titles = columns.map((column) => column.title)
  return [style.strong(line(titles)), ...cells.map(line)].join("\n")
}

export type Fields = readonly (readonly [name: string, value: string])[]

/** Formats names with their values, one per line. Long values continue below their first line. */
export function formatFields(fields: Fields, style: Style): string {
  const longest = Math.max(0, ...fields.map(([name]) => width(name)))
  const indent = " ".repeat(longest + 1 + GAP.length)
  const lines = fields.map(([name, value]) => {
    const [first = "", ...rest] = value.split("\n").map(printable)
    const label = style.strong(`${name}:`) + " ".repeat(longest - width(name))
    return [label + GAP + first, ...rest.map((line) => indent + line)].join("\n").trimEnd()
  })
  return lines.join("\n")
}

/** `12.3 MB` */
export function formatBytes(bytes: number): string {
  const steps = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${steps === 0 ? bytes : (bytes / 1_000 ** steps).toFixed(1)} ${UNITS[steps]}`
}

const LENGTHS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const

/** Formats a duration in its two largest units: `2d 3h`, `6h`, or `1m 30s` for 90 seconds. */
export function formatLength(milliseconds: number): string {
  let rest = Math.max(0, milliseconds)
  const words = LENGTHS.flatMap(([unit, name]) => {
    const count = Math.floor(rest / unit)
    rest -= count * unit
    return count === 0 ? [] : [`${count}${name}`]
  })
  return words.slice(0, 2).join(" ") || "0s"
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"]

function pad(text: string, size: number, align: "left" | "right" | undefined): string {
  const space = " ".repeat(Math.max(0, size - width(text)))
  return align === "right" ? space + text : text + space
}

function width(text: string): number {
  return Bun.stringWidth(text)
}
