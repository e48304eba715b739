import { nanos } from "../../format/credits.ts"
import type { ColumnResponses } from "./exchanges.ts"

/** The columns with the cheapest response and with the fastest response. */
export interface BestOf {
  readonly cheapest: number | undefined
  readonly fastest: number | undefined
}

const NONE: BestOf = { cheapest: undefined, fastest: undefined }

/** Compares responses side by side when all are complete. Equal responses are not marked. */
export function bestOf(columns: readonly ColumnResponses[]): BestOf {
  const isDone = columns.every(
    ({ steps }) => steps.length > 0 && steps.every(({ state }) => state === "done"),
  )
  if (columns.length < 2 || !isDone) return NONE
  return {
    cheapest: leastOf(columns, ({ steps }) =>
      steps.every(({ cost }) => cost !== null)
        ? steps.reduce((sum, { cost }) => sum + nanos(cost ?? "0"), 0n)
        : undefined,
    ),
    fastest: leastOf(columns, ({ steps }) =>
      steps.every(({ durationMs }) => durationMs !== null)
        ? steps.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
        : undefined,
    ),
  }
}

function leastOf(
  columns: readonly ColumnResponses[],
  of: (column: ColumnResponses) => bigint | number | undefined,
): number | undefined {
  const known = columns.flatMap((column) => {
    const value = of(column)
    return value === undefined ? [] : [{ column: column.column, value }]
  })
  if (known.length < columns.length) return undefined
  const [first, second] = known.toSorted((left, right) =>
    left.value === right.value ? 0 : left.value < right.value ? -1 : 1,
  )
  return first?.value === second?.value ? undefined : first?.column
}
