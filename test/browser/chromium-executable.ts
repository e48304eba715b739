import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"

const PACKAGE = join(dirname(Bun.resolveSync("@sparticuz/chromium", import.meta.dir)), "..")
const UNPACK = join(import.meta.dir, "unpack-chromium.ts")

/**
 * Returns the path of Chromium. On first use, it is unpacked from its package. The unpacked folder is moved into place
 * in one step, so that test files that run at the same time never start an incomplete browser.
 */
export function chromiumExecutable(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
    readonly version: string
  }
  const cache = join(import.meta.dir, "../node_modules/.cache")
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) unpack(cache, folder)
  return join(folder, "chromium")
}

/**
 * Unpacks the package in another process. The package uses the folder for temporary files, which can be set only for a
 * whole process.
 */
function unpack(cache: string, folder: string): void {
  mkdirSync(cache, { recursive: true })
  const part = mkdtempSync(join(cache, "part-"))
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, UNPACK], {
    env: { ...process.env, TMPDIR: part },
  })
  if (exitCode !== 0) throw new Error(`Chromium cannot be unpacked: ${stderr.toString()}`)
  try {
    renameSync(part, folder)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
