import type { UsageRow } from "tollgate-contract/usage.ts"
import { roughCredits } from "./credits.ts"
import { currentLanguage } from "../languages/text.ts"

/** The measures that a chart can show. */
export type Measure = "cost" | "requests" | "tokens"
export type Span = "days" | "hours"

/** One bar of a chart. Heights are approximate; the labels next to the bars are exact. */
export interface UsagePoint {
  /** Start of the bar's period, as ISO text in UTC. */
  readonly at: string
  readonly label: string
  /** The lower part of the bar. */
  readonly main: number
  /** The upper part: failed requests, or output tokens. */
  readonly other: number
  readonly row: UsageRow
}

/** Converts the rows of a usage list to the bars of a chart. */
export function usagePoints(
  rows: readonly UsageRow[],
  measure: Measure,
  span: Span,
  timeZone?: string,
): UsagePoint[] {
  return rows.map((row) => ({
    at: row.group,
    label: pointLabel(row.group, span, timeZone),
    ...heights(row, measure),
    row,
  }))
}

function heights(row: UsageRow, measure: Measure): { main: number; other: number } {
  if (measure === "cost") return { main: roughCredits(row.cost), other: 0 }
  if (measure === "tokens") return { main: row.input, other: row.output }
  return { main: row.requests - row.errors, other: row.errors }
}

/** Labels days in UTC, like the ledger, and hours in the reader's time zone. */
function pointLabel(iso: string, span: Span, timeZone: string | undefined): string {
  const style: Intl.DateTimeFormatOptions =
    span === "days"
      ? { day: "numeric", month: "short", timeZone: "UTC" }
      : { hour: "2-digit", minute: "2-digit", ...(timeZone !== undefined && { timeZone }) }
  return new Intl.DateTimeFormat(currentLanguage.locale, style).format(new Date(iso))
}
