import { statSync } from "node:fs"
import { join } from "node:path"

/** What the executable is made of: the program, the simulator, the built console, and which libraries. */
const PATTERNS = [
  "contract/*",
  "src/**/*",
  "simulator/**/*",
  "console/dist/**/*",
  "scripts/*executable.ts",
]
const LIBRARIES = "package-lock.json"

/** Files, and what they were when the executable was built from them. */
export interface Sources {
  /** From the root of the project. */
  readonly paths: readonly string[]
  /** Of the sizes and times of all of them. */
  readonly fingerprint: string
}

/** What is in a checkout now. */
export function readSources(root: string): Sources {
  const found = PATTERNS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  const paths = [...found, LIBRARIES].toSorted()
  return { paths, fingerprint: fingerprintOf(root, paths) }
}

/**
 * Whether a checkout still holds what was built. Times are compared for being the same, not for being older, since
 * an older release that is copied over a newer one brings older times. A file that is new needs a changed one to be used.
 */
export function isUnchanged(root: string, built: Sources): boolean {
  return fingerprintOf(root, built.paths) === built.fingerprint
}

function fingerprintOf(root: string, paths: readonly string[]): string {
  const facts = paths.map((path) => {
    const file = statSync(join(root, path), { throwIfNoEntry: false })
    return file === undefined ? path : `${path} ${file.size} ${file.mtimeMs}`
  })
  return Bun.hash(facts.join("\n")).toString(36)
}
