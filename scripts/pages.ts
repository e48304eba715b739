const PATTERNS = [
  "*.md",
  "docs/**/*.md",
  "bench/**/*.md",
  "simulator/**/*.md",
  "price-data/*.md",
  "console/*.md",
]
/** The folder of benchmark results. */
const RESULTS = "bench/results/"
/** Folders with installed packages of the documentation site, and with prepared pages. */
const GENERATED = /^docs\/(?:node_modules|\.staged|\.vitepress)\//

/** Returns the Markdown files of the repository as sorted paths relative to its root. */
export function pages(root = "."): string[] {
  return PATTERNS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
    .filter((path) => !path.startsWith(RESULTS) && !GENERATED.test(path))
    .toSorted()
}

/** A line of a page outside of code blocks. */
export interface ProseLine {
  readonly text: string
  /** Line number, starting at 1. */
  readonly number: number
}

/** Returns the lines of a page, except its code blocks. */
export function proseOf(page: string): ProseLine[] {
  const prose: ProseLine[] = []
  let isCode = false
  for (const [index, text] of page.split("\n").entries()) {
    const isFence = /^\s*```/.test(text)
    if (isFence) isCode = !isCode
    if (!isCode && !isFence) prose.push({ text, number: index + 1 })
  }
  return prose
}
