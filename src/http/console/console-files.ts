import { statSync } from "node:fs"
import { join } from "node:path"
import { IS_EXECUTABLE } from "../../runtime.ts"

/** The suffix of a file's gzipped form, which is in the same folder. */
const GZIPPED = ".gz"

/** Matches files whose names contain a hash of their content. */
const HASHED = /^assets\//

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  map: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  txt: "text/plain; charset=utf-8",
  woff2: "font/woff2",
  webmanifest: "application/manifest+json",
}

/** One file of the built console. */
export interface ConsoleFile {
  readonly type: string
  readonly content: Blob
  /** The gzipped form; undefined if it is not smaller. */
  readonly gzipped: Blob | undefined
  /** Whether the file's name changes with its content, so that it can be cached forever. */
  readonly isImmutable: boolean
  /** Entity tag of the content. */
  readonly tag: string
}

export interface BuiltConsole {
  /** Files by their path under `/console/`. No other file is served. */
  readonly files: ReadonlyMap<string, ConsoleFile>
  /** Whether the build is still the latest. */
  readonly isCurrent: () => boolean
}

/** The build folder in the source tree, next to `src`. */
export const CONSOLE_FOLDER = join(import.meta.dir, "..", "..", "..", "console", "dist")

/** Prefix of the names of console files in the executable. */
const EMBEDDED_PREFIX = "console/dist/"

/** Finds the built console; undefined if it was not built. */
export async function findConsole(
  folder: string = CONSOLE_FOLDER,
): Promise<BuiltConsole | undefined> {
  const builtAt = IS_EXECUTABLE ? 0 : timeOf(folder)
  const contents = IS_EXECUTABLE ? embeddedFiles() : filesOf(folder)
  if (!contents.has("index.html")) return undefined
  const files = new Map<string, ConsoleFile>()
  for (const [path, content] of contents) {
    if (path.endsWith(GZIPPED) && contents.has(path.slice(0, -GZIPPED.length))) continue
    const gzipped = contents.get(path + GZIPPED)
    const isImmutable = HASHED.test(path)
    const tag = isImmutable ? "" : `"${Bun.hash(await content.arrayBuffer()).toString(36)}"`
    files.set(path, { type: typeOf(path), content, gzipped, isImmutable, tag })
  }
  return { files, isCurrent: () => IS_EXECUTABLE || timeOf(folder) === builtAt }
}

/** Returns the time when the console in a folder was built; undefined if it was not built. */
function timeOf(folder: string): number | undefined {
  return statSync(join(folder, "index.html"), { throwIfNoEntry: false })?.mtimeMs
}

function embeddedFiles(): Map<string, Blob> {
  const files = Bun.embeddedFiles as readonly (Blob & { readonly name: string })[]
  return new Map(
    files
      .filter(({ name }) => name.startsWith(EMBEDDED_PREFIX))
      .map((file) => [file.name.slice(EMBEDDED_PREFIX.length), file]),
  )
}

function filesOf(folder: string): Map<string, Blob> {
  if (timeOf(folder) === undefined) return new Map()
  const paths = [...new Bun.Glob("**/*").scanSync({ cwd: folder, followSymlinks: false })]
  return new Map(paths.map((path) => [path, Bun.file(join(folder, path))]))
}

function typeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream"
}
