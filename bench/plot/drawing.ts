/** Width of all plots in pixels. */
export const WIDTH = 760

/** Colors that are readable on white and on black. Dark mode has separate colors. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #59636e; font-size: 12px }
  .grid { stroke: #d1d9e0 }
  .spread { stroke: #1f2328 }
  .bar { fill: #8c959f }
  .own { fill: #0969da }
  .yardstick { fill: #c8ced5 }
  .line { fill: none; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .spread { stroke: #f0f6fc }
    .bar { fill: #767e88 }
    .own { fill: #4493f8 }
    .yardstick { fill: #4a525c }
  }`

/** Colors of lines, in the order of their use. They are readable on dark and on light pages. */
export const LINE_COLORS = [
  "#8c959f",
  "#bf8700",
  "#1a9b52",
  "#a475f9",
  "#e16f24",
  "#d1569b",
  "#1b9aaa",
  "#9a6b4f",
] as const
/** The color of Tollgate's line. */
export const OWN_COLOR = "#2f81f7"

type Attributes = Readonly<Record<string, string | number>>

/** Returns one SVG element. */
export function element(name: string, attributes: Attributes, content = ""): string {
  const words = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(typeof value === "number" ? rounded(value) : value)}"`,
  )
  return `<${name}${words.join("")}>${content}</${name}>`
}

/** Returns a text element. */
export function text(x: number, y: number, words: string, attributes: Attributes = {}): string {
  return element("text", { x, y, ...attributes }, escaped(words))
}

/**
 * Returns a complete SVG file.
 * @param words the description for readers who cannot see the image.
 */
export function drawing(height: number, words: string, parts: readonly string[]): string {
  const box = `0 0 ${WIDTH} ${rounded(height)}`
  const named = `xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escaped(words)}"`
  const size = `width="${WIDTH}" height="${rounded(height)}" viewBox="${box}"`
  return `<svg ${named} ${size}>\n<style>${STYLE}\n</style>\n${parts.join("\n")}\n</svg>\n`
}

function rounded(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function escaped(words: string): string {
  return words
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
