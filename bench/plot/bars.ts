import { formatNumber } from "../table.ts"
import { drawing, element, text, WIDTH } from "./drawing.ts"
import { linearScale, logScale } from "./scale.ts"

/** One bar of a plot. */
export interface Bar {
  readonly name: string
  readonly value: number
  /** Lowest and highest of the values whose median the bar shows. */
  readonly lowest?: number
  readonly highest?: number
}

/** A plot of horizontal bars, the shortest at the top. */
export interface BarPlot {
  readonly title: string
  /** The unit that follows each value, such as `x` or ` MB`. */
  readonly unit: string
  readonly bars: readonly Bar[]
}

const LEFT = 110
const RIGHT = 90
const TOP = 56
const BOTTOM = 14
const ROW = 26
const THICK = 16
/** Ratio of the highest to the lowest value from which bars on a linear scale are no longer comparable. */
const FAR_APART = 12

/** Draws bars. The scale is logarithmic if the highest value is more than twelve times the lowest. */
export function drawBars({ title, unit, bars }: BarPlot): string {
  const sorted = bars.toSorted((left, right) => left.value - right.value)
  const values = sorted.flatMap(({ value, lowest = value, highest = value }) => [
    value,
    lowest,
    highest,
  ])
  const isFar = Math.min(...values) > 0 && Math.max(...values) > FAR_APART * Math.min(...values)
  const scale = isFar ? logScale(values) : linearScale(values)
  const x = (value: number): number => LEFT + scale.position(value) * (WIDTH - LEFT - RIGHT)
  const height = TOP + sorted.length * ROW + BOTTOM
  const grid = scale.ticks.flatMap((tick) => [
    element("line", { x1: x(tick), x2: x(tick), y1: TOP - 6, y2: height - BOTTOM, class: "grid" }),
    text(x(tick), TOP - 12, tickLabel(tick), { class: "quiet", "text-anchor": "middle" }),
  ])
  const rows = sorted.flatMap((bar, index) => row(bar, TOP + index * ROW, x, unit))
  const kind = isFar ? "logarithmic scale" : ""
  const head = [
    text(LEFT, 20, title, { class: "title" }),
    text(WIDTH - 12, 20, kind, { class: "quiet", "text-anchor": "end" }),
  ]
  const words = sorted.map(({ name, value }) => `${name} ${formatNumber(value)}${unit}`)
  return drawing(height, `${title}: ${words.join(", ")}`, [...head, ...grid, ...rows])
}

function row(bar: Bar, y: number, x: (value: number) => number, unit: string): readonly string[] {
  const { name, value, lowest, highest } = bar
  const middle = y + THICK / 2
  const end = x(value)
  const label = formatNumber(value) + unit
  const spread =
    lowest === undefined || highest === undefined
      ? []
      : [
          element("line", {
            x1: x(lowest),
            x2: x(highest),
            y1: middle,
            y2: middle,
            class: "spread",
          }),
        ]
  const labelAt = Math.max(end, highest === undefined ? end : x(highest)) + 8
  return [
    text(LEFT - 8, middle + 4.5, name, { "text-anchor": "end" }),
    element("rect", {
      x: LEFT,
      y,
      width: Math.max(1, end - LEFT),
      height: THICK,
      rx: 2,
      class: classOf(name),
    }),
    ...spread,
    text(labelAt, middle + 4.5, label),
  ]
}

function classOf(name: string): string {
  if (name === "tollgate") return "own"
  return name === "bare" || name === "direct" ? "yardstick" : "bar"
}

/** Formats a tick. Its value is a round number, so no unnecessary digits are shown. */
function tickLabel(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en")
}
