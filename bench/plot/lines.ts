import { drawing, element, LINE_COLORS, OWN_COLOR, text, WIDTH } from "./drawing.ts"
import { linearScale, logScale } from "./scale.ts"

/** One line of a plot. */
export interface Line {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** A plot over time. */
export interface LinePlot {
  readonly title: string
  /** The label below the plot. */
  readonly below: string
  readonly lines: readonly Line[]
}

const LEFT = 60
const RIGHT = 110
const TOP = 40
const BOTTOM = 44
const HEIGHT = 340
const LABEL = 15
const FAR_APART = 12

/** Draws lines. Their names are at their ends, so no legend is needed. */
export function drawLines({ title, below, lines }: LinePlot): string {
  const drawn = lines.filter(({ points }) => points.length > 0)
  const xs = drawn.flatMap(({ points }) => points.map(([x]) => x))
  const ys = drawn.flatMap(({ points }) => points.map(([, y]) => y))
  const isFar = Math.min(...ys) > 0 && Math.max(...ys) > FAR_APART * Math.min(...ys)
  const across = linearScale(xs)
  const up = isFar ? logScale(ys) : linearScale(ys)
  const last = Math.max(...xs)
  const x = (value: number): number => LEFT + (value / last) * (WIDTH - LEFT - RIGHT)
  const y = (value: number): number =>
    HEIGHT - BOTTOM - up.position(value) * (HEIGHT - TOP - BOTTOM)
  const grid = up.ticks.flatMap((tick) => [
    element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick), class: "grid" }),
    text(LEFT - 8, y(tick) + 4, tick.toLocaleString("en"), {
      class: "quiet",
      "text-anchor": "end",
    }),
  ])
  const times = across.ticks
    .filter((tick) => tick <= last)
    .map((tick) =>
      text(x(tick), HEIGHT - BOTTOM + 18, tick.toLocaleString("en"), {
        class: "quiet",
        "text-anchor": "middle",
      }),
    )
  const labels = placeLabels(drawn.map(({ points }) => y(points.at(-1)?.[1] ?? 0)))
  const parts = drawn.flatMap(({ name, points }, index) => {
    const color = colorOf(name, index)
    const path = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(" ")
    return [
      element("polyline", { points: path, class: "line", style: `stroke: ${color}` }),
      text(WIDTH - RIGHT + 8, (labels[index] ?? 0) + 4, name, { style: `fill: ${color}` }),
    ]
  })
  const head = [
    text(LEFT, 20, title, { class: "title" }),
    text(LEFT, HEIGHT - 8, below, { class: "quiet" }),
  ]
  const words = drawn.map(({ name, points }) => `${name} ${Math.round(points.at(-1)?.[1] ?? 0)}`)
  return drawing(HEIGHT, `${title}: at the end ${words.join(", ")}`, [
    ...head,
    ...grid,
    ...times,
    ...parts,
  ])
}

function colorOf(name: string, index: number): string {
  if (name === "tollgate") return OWN_COLOR
  return LINE_COLORS[index % LINE_COLORS.length] ?? OWN_COLOR
}

/** Moves names down if they would cover each other. */
export function placeLabels(wanted: readonly number[]): readonly number[] {
  const placed: number[] = []
  let least = Number.NEGATIVE_INFINITY
  const inOrder = [...wanted.entries()].toSorted(([, left], [, right]) => left - right)
  for (const [index, height] of inOrder) {
    least = Math.max(height, least + LABEL)
    placed[index] = least
  }
  return placed
}
