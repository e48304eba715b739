/**
 * Checks the rules of ARCHITECTURE.md: imports only go down the layers, forbidden imports do not occur, there are no
 * import cycles, names are not abbreviated, and files stay short.
 */
import { readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { checkDialectFiles, SHARED } from "./dialect-files.ts"

/**
 * The layer of each module, which is a folder or file of `src/`. An import goes to a lower layer or stays within its
 * module.
 */
const LAYERS: Readonly<Record<string, number>> = {
  "main.ts": 9,
  cli: 9,
  "app.ts": 8,
  app: 8,
  http: 7,
  otlp: 7,
  management: 6,
  metrics: 6,
  relay: 5,
  routing: 4,
  limits: 4,
  vendors: 3,
  catalog: 3,
  failures: 3,
  media: 3,
  notices: 3,
  sinks: 3,
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
  workers: 1,
  accounting: 0,
  secrets: 0,
  "database-address.ts": 0,
  "runtime.ts": 0,
}

/** The layer of each folder of `src/relay`, within the layer of `relay`. */
const RELAY_LAYERS: Readonly<Record<string, number>> = {
  chat: 7,
  operations: 7,
  pipeline: 6,
  upstream: 5,
  billing: 4,
  "priced-features": 3,
  fitting: 2,
  metering: 2,
  state: 2,
  "routing-preferences": 2,
  request: 1,
  worker: 1,
  lifetime: 0,
  tokens: 0,
}

/** Imports that are allowed within a layer: the process starts the command line, and the app builds its parts. */
const SIDEWAYS: ReadonlySet<string> = new Set(["main.ts>cli", "app.ts>app"])

const MAX_FILE_LINES = 500
/** Matches abbreviations in identifiers. Names in wire formats are defined by the vendors and do not match. */
const ABBREVIATIONS = /(?<![."])\b(req|res|opts|cfg|ctx|msg|params|utils|helpers)\b(?!")/
/**
 * Matches code that converts an email address to lower case with all rules of Unicode. The result may be the address of
 * another person.
 */
const FOLDED_ADDRESS = /\w*(?:mail|address)\w*(?:\(\))?\??\.to(?:Locale)?LowerCase\(/i
const HOLDS = /\.(tryHold|settle|release)\(/
/** The chat part of the canon, which the ledger must not import. */
const CHAT: ReadonlySet<string> = new Set(["canon/chat.ts", "canon/message.ts", "canon/tool.ts"])
const IMPORT = /(?:import|export)[^"']*?from\s*["']([^"']+)["']|import\(["']([^"']+)["']\)/g

interface SourceFile {
  readonly path: string
  readonly module: string
  readonly text: string
  /** Paths relative to the root. */
  readonly imports: readonly string[]
}

/** Returns all violations below a folder, one readable line each. */
export function checkLayers(root: string): string[] {
  const files = readFiles(root)
  return [
    ...files.flatMap((file) => checkImports(file)),
    ...files.flatMap((file) => checkText(file)),
    ...findCycles(files),
    ...checkDialectFiles(files.map(({ path }) => path)),
  ]
}

/** Imports from outside its folder that each package of this repository may use. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  contract: /^zod$/,
  simulator: /^node:/,
  "price-data": /^(zod|node:.*|tollgate-contract\/.*)$/,
}

/** Packages that may contain abbreviations. The simulator uses the vendors' names and sentences. */
const ABBREVIATED: ReadonlySet<string> = new Set(["simulator"])

/**
 * Returns all violations in the packages that the gateway or its development uses. None of them may import the gateway.
 */
export function checkPackages(packages = PACKAGES): string[] {
  return Object.entries(packages).flatMap(([root, allowed]) => {
    const files = readFiles(root)
    const foreign = files.flatMap(({ path, text, imports }) =>
      [
        ...importsOf(text).filter((name) => !name.startsWith(".") && !allowed.test(name)),
        ...imports.filter((target) => target.startsWith("..")),
      ].map((name) => `${root}/${path}: imports ${name} from outside the package`),
    )
    const abbreviations = ABBREVIATED.has(root) ? [] : files.flatMap((file) => checkText(file))
    return [...foreign, ...abbreviations, ...findCycles(files)]
  })
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
    return { path, module: moduleOf(path), text, imports }
  })
}

function moduleOf(path: string): string {
  return path.split("/")[0] ?? path
}

function checkImports(file: SourceFile): string[] {
  const faults: string[] = []
  const layer = LAYERS[file.module]
  if (layer === undefined) return [`${file.path}: '${file.module}' is in no layer`]
  for (const target of file.imports) {
    const imported = moduleOf(target)
    if (imported === "..") faults.push(`${file.path}: imports ${target} from outside src`)
    if (imported === file.module || imported === "..") continue
    const lower = LAYERS[imported]
    if (lower === undefined) faults.push(`${file.path}: imports ${target}, which is in no layer`)
    else if (lower >= layer && !SIDEWAYS.has(`${file.module}>${imported}`)) {
      faults.push(`${file.path}: imports ${target}, which is not in a lower layer`)
    }
  }
  if (file.module === "relay") faults.push(...checkRelayImports(file))
  return [...faults, ...checkForbidden(file)]
}

/** Checks the imports between the folders of `relay`, which are layers too. */
function checkRelayImports({ path, imports }: SourceFile): string[] {
  const faults: string[] = []
  const [, folder = ""] = path.split("/")
  const layer = RELAY_LAYERS[folder]
  if (layer === undefined) return [`${path}: 'relay/${folder}' is in no layer`]
  for (const target of imports) {
    const [module, imported = ""] = target.split("/")
    if (module !== "relay" || imported === folder) continue
    if ((RELAY_LAYERS[imported] ?? Infinity) >= layer) {
      faults.push(`${path}: imports ${target}, which is not in a lower layer of relay`)
    }
  }
  return faults
}

function checkForbidden(file: SourceFile): string[] {
  const faults: string[] = []
  const [module, dialect] = file.path.split("/")
  for (const target of file.imports) {
    const [imported, importedDialect] = target.split("/")
    const isShared = importedDialect === dialect || importedDialect === SHARED
    if (module === "dialects" && imported === "dialects" && !isShared) {
      faults.push(`${file.path}: one dialect imports another`)
    }
    if (module === "ledger" && CHAT.has(target)) {
      faults.push(`${file.path}: the ledger imports chat`)
    }
    if (module !== "store" && /^store\/(sqlite|postgres)\//.test(target)) {
      faults.push(`${file.path}: imports ${target}: only store imports the database`)
    }
    if (file.path.startsWith("store/steps/") && /^store\/(sqlite|postgres)\//.test(target)) {
      faults.push(`${file.path}: imports ${target}: steps run on every engine`)
    }
    if (module === "http" && imported === "http") continue
    if (imported === "http" && module !== "app.ts" && module !== "app") {
      faults.push(`${file.path}: only app imports http`)
    }
  }
  const isBilling = file.path.startsWith("relay/billing/") || module === "ledger"
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
  if (lines.length > MAX_FILE_LINES)
    faults.push(`${file.path}: ${lines.length} lines are more than ${MAX_FILE_LINES}`)
  lines.forEach((line, index) => {
    const word = ABBREVIATIONS.exec(line)?.[0]
    if (word) faults.push(`${file.path}:${index + 1}: '${word}' is an abbreviation`)
    if (FOLDED_ADDRESS.test(line))
      faults.push(`${file.path}:${index + 1}: addresses are folded with foldedEmail only`)
  })
  return faults
}

/** Returns the import cycles, including type-only imports. */
function findCycles(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]))
  const done = new Set<string>()
  const faults: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) faults.push(`import cycle: ${[...trail.slice(start), path].join(" > ")}`)
    if (start !== -1 || done.has(path)) return
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const file of files) visit(file.path, [])
  return faults
}
