import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reflow } from "../../scripts/reflow.ts"
import { formatPage } from "./page.ts"
import { drawPlots } from "./plots.ts"
import type { RaceResults } from "./results.ts"

const IMAGES_FOLDER = "benchmark"

/**
 * Writes the page and the images of a race.
 * @returns the path of the page.
 */
export function publish(results: RaceResults, folder: string): string {
  const plots = drawPlots(results)
  const images = join(folder, IMAGES_FOLDER)
  rmSync(images, { recursive: true, force: true })
  mkdirSync(images, { recursive: true })
  for (const { file, content } of plots) writeFileSync(join(images, file), content)
  const page = join(folder, `${IMAGES_FOLDER}.md`)
  writeFileSync(page, reflow(formatPage(results, plots, IMAGES_FOLDER)))
  return page
}
