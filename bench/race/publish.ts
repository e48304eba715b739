import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reflow } from "../../scripts/reflow.ts"
import { formatPage } from "./page.ts"
import { drawPlots } from "./plots.ts"
import type { RaceResults } from "./results.ts"

const PICTURES = "benchmark"

/**
 * Writes the page and the images of a race.
 * @returns the path of the page.
 */
export function publish(results: RaceResults, folder: string): string {
  const plots = drawPlots(results)
  const pictures = join(folder, PICTURES)
  rmSync(pictures, { recursive: true, force: true })
  mkdirSync(pictures, { recursive: true })
  for (const { file, content } of plots) writeFileSync(join(pictures, file), content)
  const page = join(folder, `${PICTURES}.md`)
  writeFileSync(page, reflow(formatPage(results, plots, PICTURES)))
  return page
}
