/**
 * Builds the documentation site into `docs/.vitepress/dist`, and checks its links and its accessibility: `npm run
 * docs`. With `--dev`, it serves the prepared pages instead of building them.
 */
import { join } from "node:path"
import { accessibilityFaults } from "./docs-site/accessibility.ts"
import { stageSite } from "./docs-site/stage.ts"

const ROOT = join(import.meta.dir, "..")
const VITEPRESS = join(ROOT, "docs/node_modules/vitepress/bin/vitepress.js")
const BUILT = join(ROOT, "docs/.vitepress/dist")

const isDevelopment = process.argv.includes("--dev")
const faults = stageSite()
// VitePress fails if a link leads to a page that does not exist. Anchors are checked by `npm run check`.
const command = ["node", VITEPRESS, isDevelopment ? "dev" : "build", "docs"]
const { exitCode } = Bun.spawnSync(command, { cwd: ROOT, stdout: "inherit", stderr: "inherit" })
if (exitCode !== 0) process.exit(exitCode)
if (!isDevelopment) faults.push(...(await accessibilityFaults(BUILT)))
for (const fault of faults) console.error(fault)
console.log(faults.length === 0 ? `The site is in ${BUILT}.` : `${faults.length} faults`)
process.exit(faults.length === 0 ? 0 : 1)
