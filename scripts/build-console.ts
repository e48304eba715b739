/**
 * Builds the console into `console/dist` as static files, each with a gzipped copy. With `--if-missing`, it builds only
 * if files are missing or older than their sources.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Manifest } from "../console/vite-build.ts"

const FOLDER = "console"
const OUTPUT = join(FOLDER, "dist")
const SOURCE = join(FOLDER, "vite-build.ts")
const INDEX = join(OUTPUT, "index.html")
const MANIFEST = join(OUTPUT, ".vite/manifest.json")
/** Maximum size of the first page after sign-in, gzipped, in bytes. */
const LARGEST_FIRST_LOAD = 250_000
/** The addresses of scripts and styles in the first page, which includes the overview. */
const NAMED_FILE = /(?:src|href)="\/console\/(assets\/[^"]+)"/g
const TEXT = /\.(html|js|css|svg|json|txt|map)$/
/** Minimum size of compressed files in bytes. */
const SMALLEST_COMPRESSED = 512

const isOnlyWanted = Bun.argv.includes("--if-missing")
if (isOnlyWanted && (!existsSync(SOURCE) || isFresh())) process.exit(0)
await build()

/** Whether the last build is newer than all of its sources. */
function isFresh(): boolean {
  if (!existsSync(INDEX)) return false
  const built = statSync(INDEX).mtimeMs
  const sources = [
    ...new Bun.Glob("src/**/*").scanSync(FOLDER),
    ...new Bun.Glob("public/**/*").scanSync(FOLDER),
    "index.html",
    "package.json",
    "vendor-marks.ts",
    "vite-build.ts",
    ...new Bun.Glob("../contract/*.ts").scanSync(FOLDER),
  ]
  return sources.every((path) => statSync(join(FOLDER, path)).mtimeMs <= built)
}

async function build(): Promise<void> {
  const began = performance.now()
  process.env["NODE_ENV"] = "production"
  const builder = await loadBuilder()
  if (builder === undefined) return
  await builder.buildSite()
  // Glob omits folders whose names start with a dot. Their files are not for the browser.
  const files = [...new Bun.Glob("**/*").scanSync(OUTPUT)].toSorted()
  for (const path of files) compress(join(OUTPUT, path))
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  console.log(`${OUTPUT}: ${files.length} files in ${seconds} s`)
  const manifest = JSON.parse(readFileSync(MANIFEST, "utf8")) as Manifest
  rmSync(join(OUTPUT, ".vite"), { recursive: true })
  const size = report(manifest)
  const cycle = cycleIn(manifest)
  if (cycle !== undefined) {
    console.error(
      `These files import each other in a circle, so their pages stay empty: ${cycle.join(", ")}. Move what they share into a module of the first page.`,
    )
    process.exit(1)
  }
  if (size > LARGEST_FIRST_LOAD) {
    console.error(
      `The first load is ${kilobytes(size)}; it may be ${kilobytes(LARGEST_FIRST_LOAD)} at most.`,
    )
    process.exit(1)
  }
}

/**
 * Returns the function that builds the console. Returns undefined if only the gateway's dependencies are installed. The
 * gateway then runs without its console.
 */
async function loadBuilder() {
  try {
    return await import("../console/vite-build.ts")
  } catch (thrown) {
    if (!isOnlyWanted) throw thrown
    console.error("The console is not built: its build tools are not installed. `npm ci` does it.")
    return undefined
  }
}

/** Writes a gzipped copy next to a text file. */
function compress(path: string): void {
  const content = readFileSync(path)
  if (!TEXT.test(path) || content.length < SMALLEST_COMPRESSED) return
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
}

/** Prints the files of the first page, and returns their gzipped size in bytes. */
function report(manifest: Manifest): number {
  const page = readFileSync(INDEX, "utf8")
  const named = new Set([...page.matchAll(NAMED_FILE)].map(([, file]) => file))
  const files = new Set(["index.html"])
  for (const [name, { file }] of Object.entries(manifest)) {
    if (named.has(file)) collect(manifest, name, files, new Set())
  }
  let total = 0
  for (const file of files) {
    const size = gzipSync(readFileSync(join(OUTPUT, file)), { level: 9 }).length
    total += size
    console.log(`  ${kilobytes(size).padStart(10)}  ${file}`)
  }
  console.log(`  ${kilobytes(total).padStart(10)}  first load, gzipped`)
  return total
}

/** Returns files that import each other in a circle; undefined if there are none. */
function cycleIn(manifest: Manifest): readonly string[] | undefined {
  const finished = new Set<string>()
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return path.slice(path.indexOf(name))
    if (finished.has(name)) return undefined
    for (const needed of manifest[name]?.imports ?? []) {
      const found = visit(needed, [...path, name])
      if (found !== undefined) return found
    }
    finished.add(name)
    return undefined
  }
  for (const name of Object.keys(manifest)) {
    const found = visit(name, [])
    if (found !== undefined) return found.map((one) => manifest[one]?.file ?? one)
  }
  return undefined
}

function collect(manifest: Manifest, name: string, files: Set<string>, seen: Set<string>): void {
  const chunk = manifest[name]
  if (chunk === undefined) throw new Error(`The build has no '${name}'`)
  if (seen.has(name)) return
  seen.add(name)
  files.add(chunk.file)
  for (const style of chunk.css ?? []) files.add(style)
  for (const needed of chunk.imports ?? []) collect(manifest, needed, files, seen)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`
}
