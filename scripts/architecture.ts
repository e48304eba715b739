/**
 * The house rules of ARCHITECTURE.md as a check: imports go down only, the nevers hold, no circle of
 * any kind, names are whole words, files stay short.
 */
import { readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { checkDialectFiles, SHARED } from "./dialect-files.ts"

/** The floor of each folder or file of `src/`. An import goes to a lower floor or stays in its folder. */
const FLOORS: Readonly<Record<string, number>> = {
  "main.ts": 9,
  cli: 9,
  "app.ts": 8,
  app: 8,
  http: 7,
  management: 6,
  relay: 5,
  routing: 4,
  limits: 4,
  vendors: 3,
  catalog: 3,
  media: 3,
  dialects: 2,
  ledger: 2,
  keys: 2,
  users: 2,
  canon: 1,
  wire: 1,
  config: 1,
  telemetry: 1,
  store: 1,
  machine: 1,
  accounting: 0,
  "runtime.ts": 0,
}

/** Sideways imports that are part of the plan: the process starts the command line, the app its parts. */
const SIDEWAYS: ReadonlySet<string> = new Set(["main.ts>cli", "app.ts>app"])

const LONGEST_FILE = 500
/** As names of ours; on the wire they are what they are. */
const ABBREVIATIONS = /(?<![."])\b(req|res|opts|cfg|ctx|msg|params|utils|helpers)\b(?!")/
const HOLDS = /\.(tryHold|settle|release)\(/
/** What of the canon is chat, of which the ledger knows nothing. */
const CHAT: ReadonlySet<string> = new Set(["canon/chat.ts", "canon/message.ts", "canon/tool.ts"])
const IMPORT = /(?:import|export)[^"']*?from\s*["']([^"']+)["']|import\(["']([^"']+)["']\)/g

interface SourceFile {
  readonly path: string
  readonly room: string
  readonly text: string
  /** Paths below the root. */
  readonly imports: readonly string[]
}

/** All faults of the tree below a folder, each a line for a person. */
export function checkHouse(root: string): string[] {
  const files = readFiles(root)
  return [
    ...files.flatMap((file) => checkImports(file)),
    ...files.flatMap((file) => checkText(file)),
    ...findCircles(files),
    ...checkDialectFiles(files.map(({ path }) => path)),
  ]
}

/** All faults of the package that the gateway and the console share: it stands alone. */
export function checkContract(root: string): string[] {
  const own = /^(zod|\.\/[a-z-]+\.ts)$/
  const files = readFiles(root)
  const foreign = files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter((name) => !own.test(name))
      .map((name) => `${root}/${path}: imports ${name}, which is not in the contract`),
  )
  return [...foreign, ...files.flatMap((file) => checkText(file)), ...findCircles(files)]
}

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? "")
}

function readFiles(root: string): SourceFile[] {
  return [...new Bun.Glob("**/*.ts").scanSync(root)].toSorted().map((path) => {
    const text = readFileSync(join(root, path), "utf8")
    const imports = importsOf(text)
      .filter((name) => name.startsWith("."))
      .map((name) => relative(root, normalize(join(root, dirname(path), name))))
    return { path, room: roomOf(path), text, imports }
  })
}

function roomOf(path: string): string {
  return path.split("/")[0] ?? path
}

function checkImports(file: SourceFile): string[] {
  const faults: string[] = []
  const floor = FLOORS[file.room]
  if (floor === undefined) return [`${file.path}: '${file.room}' is on no floor`]
  for (const target of file.imports) {
    const room = roomOf(target)
    if (room === "..") faults.push(`${file.path}: imports ${target} from outside src`)
    if (room === file.room || room === "..") continue
    const lower = FLOORS[room]
    if (lower === undefined) faults.push(`${file.path}: imports ${target}, which is on no floor`)
    else if (lower >= floor && !SIDEWAYS.has(`${file.room}>${room}`)) {
      faults.push(`${file.path}: imports ${target}, which is not below it`)
    }
  }
  return [...faults, ...checkNevers(file)]
}

function checkNevers(file: SourceFile): string[] {
  const faults: string[] = []
  const [room, dialect] = file.path.split("/")
  for (const target of file.imports) {
    const [targetRoom, targetDialect] = target.split("/")
    const isShared = targetDialect === dialect || targetDialect === SHARED
    if (room === "dialects" && targetRoom === "dialects" && !isShared) {
      faults.push(`${file.path}: one dialect imports another`)
    }
    if (room === "ledger" && CHAT.has(target)) {
      faults.push(`${file.path}: the ledger knows chat`)
    }
    if (room !== "store" && target.startsWith("store/sqlite/")) {
      faults.push(`${file.path}: imports ${target}: only store knows which database it is`)
    }
    if (room === "http" && targetRoom === "http") continue
    if (targetRoom === "http" && room !== "app.ts" && room !== "app") {
      faults.push(`${file.path}: only app imports http`)
    }
  }
  const isBilling = file.path.startsWith("relay/billing/") || room === "ledger"
  if (
    !isBilling &&
    HOLDS.test(file.text) &&
    /ledger\.(tryHold|settle|release)\(/i.test(file.text)
  ) {
    faults.push(`${file.path}: only relay/billing places or settles a hold`)
  }
  return faults
}

function checkText(file: SourceFile): string[] {
  const faults: string[] = []
  const lines = file.text.split("\n")
  if (lines.length > LONGEST_FILE) faults.push(`${file.path}: ${lines.length} lines are too many`)
  lines.forEach((line, index) => {
    const word = ABBREVIATIONS.exec(line)?.[0]
    if (word) faults.push(`${file.path}:${index + 1}: '${word}' is an abbreviation`)
  })
  return faults
}

/** Circles of files, type-only imports included. */
function findCircles(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]))
  const done = new Set<string>()
  const faults: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) faults.push(`circle: ${[...trail.slice(start), path].join(" > ")}`)
    if (start !== -1 || done.has(path)) return
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const file of files) visit(file.path, [])
  return faults
}
