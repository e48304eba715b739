import { statSync } from "node:fs"
import { join } from "node:path"

/**
 * The sources of the executable: the program, the simulator, the built console, and the lock file with the versions of
 * libraries.
 */
const PATTERNS = [
  "contract/*",
  "src/**/*",
  "simulator/**/*",
  "console/dist/**/*",
  "scripts/*executable.ts",
]
const LIBRARIES = "package-lock.json"

/** Files, and their state when the executable was built from them. */
export interface Sources {
  /** Paths relative to the root of the project. */
  readonly paths: readonly string[]
  /** A hash of the files' sizes and modification times. */
  readonly fingerprint: string
}

/** Returns the current state of a checkout. */
export function readSources(root: string): Sources {
  const found = PATTERNS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  const paths = [...found, LIBRARIES].toSorted()
  return { paths, fingerprint: fingerprintOf(root, paths) }
}

/**
 * Whether a checkout still has the sources from which the executable was built. Times are only compared for equality,
 * because copying an older release over a newer one sets older times. A new file matters only once a changed file uses
 * it.
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
