import { type PointerEvent, useState } from "react"

/** Indexes of the first and the last bar of a range. */
export interface BarRange {
  readonly first: number
  readonly last: number
}

/** Selects one bar of a chart by a click, or several by dragging. Returns properties for the elements of the chart. */
export function useBarRange(onChoose: (range: BarRange) => void) {
  const [dragged, setDragged] = useState<{ readonly start: number; readonly end: number }>()
  const marked = dragged && rangeOf(dragged.start, dragged.end)
  const end = () => setDragged(undefined)
  return {
    plot: { onPointerLeave: end, onPointerCancel: end },
    bar: (index: number) => ({
      "data-marked":
        marked !== undefined && index >= marked.first && index <= marked.last ? true : undefined,
      onPointerDown: ({ button }: PointerEvent) => {
        if (button === 0) setDragged({ start: index, end: index })
      },
      onPointerEnter: () => setDragged((before) => before && { ...before, end: index }),
      onPointerUp: () => {
        if (dragged === undefined) return
        end()
        onChoose(rangeOf(dragged.start, index))
      },
    }),
  }
}

function rangeOf(start: number, end: number): BarRange {
  return { first: Math.min(start, end), last: Math.max(start, end) }
}
