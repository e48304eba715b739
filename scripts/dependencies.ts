/** Checks that the packages in the manifests and in the lock file follow the rules of decision 10. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"

/** The oldest version of Node on which `npm ci` prints no warning. The packages themselves run only on Bun. */
const NODE = "20.19.0"
/** Maximum installed size in bytes: of `npm ci --omit=dev` without the runtime, and of all packages. */
const LIMITS = { production: 150e6, everything: 450e6 }
const RUNTIME = /^node_modules\/(bun|@oven\/.*)$/
/** Block size of a disk in bytes. */
const BLOCK = 4096

const LICENSES: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
])
/** Further licenses that are accepted for packages used only to build or check. */
const BUILD_LICENSES: ReadonlySet<string> = new Set([
  ...LICENSES,
  "(MIT OR CC0-1.0)",
  "MPL-2.0",
  "Unlicense",
])

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/
const MANIFESTS = [
  "package.json",
  "contract/package.json",
  "console/package.json",
  "simulator/package.json",
  "price-data/package.json",
  "test/package.json",
  "docs/package.json",
]
/** Lock files of packages that Bun installs. */
const BUN_LOCKS = ["test/bun.lock", "docs/bun.lock"]
const DECISION = "docs/contribute/decisions/0010-dependencies.md"
/** The packages of this repository. */
const OWN = /^tollgate-/

const versions = z.record(z.string(), z.string()).default({})
const manifestSchema = z.object({ dependencies: versions, devDependencies: versions })
const lockedSchema = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  resolved: z.string().optional(),
  engines: z.object({ node: z.string().optional() }).optional(),
  dev: z.boolean().default(false),
  link: z.boolean().default(false),
})
const lockSchema = z.object({ packages: z.record(z.string(), lockedSchema) })

type Manifest = z.infer<typeof manifestSchema>
/** A package in the lock file, with its installed folder. */
type Locked = z.infer<typeof lockedSchema> & { readonly path: string }

/**
 * Returns all faults, one readable line each.
 * @param root the folder of a checkout with installed packages.
 */
export function checkDependencies(root: string): string[] {
  const manifests = MANIFESTS.map((path) => ({
    path,
    ...manifestSchema.parse(JSON.parse(readFileSync(join(root, path), "utf8"))),
  }))
  const packages = readLock(readFileSync(join(root, "package-lock.json"), "utf8"))
  const seen = new Set<number>()
  const sized = packages.map((entry) => ({ ...entry, size: sizeOf(join(root, entry.path), seen) }))
  return [
    ...manifests.flatMap((manifest) => checkPins(manifest.path, manifest)),
    ...packages.flatMap((entry) => checkPackage(entry)),
    ...BUN_LOCKS.flatMap((path) => checkBunLock(path, readFileSync(join(root, path), "utf8"))),
    ...checkDecision(readFileSync(join(root, DECISION), "utf8"), manifests),
    ...checkSizes(sized),
  ]
}

/** Returns the packages in a lock file, except the packages of this repository. */
export function readLock(text: string): Locked[] {
  return Object.entries(lockSchema.parse(JSON.parse(text)).packages)
    .filter(([path, { link }]) => path.startsWith("node_modules/") && !link)
    .map(([path, entry]) => ({ ...entry, path }))
}

/** Checks that each version is pinned. */
export function checkPins(path: string, { dependencies, devDependencies }: Manifest): string[] {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${path}: ${name} is '${version}', not one exact version`)
}

/** Checks the license and the supported engines of a package, and that the lock file does not name a registry. */
export function checkPackage(entry: Locked): string[] {
  const { path, license = "none", resolved, engines, dev } = entry
  const faults: string[] = []
  if (!(dev ? BUILD_LICENSES : LICENSES).has(license)) {
    faults.push(`package-lock.json: ${path} has the license '${license}'`)
  }
  if (engines?.node !== undefined && !Bun.semver.satisfies(NODE, engines.node)) {
    faults.push(`package-lock.json: ${path} asks for Node ${engines.node}, not ${NODE}`)
  }
  if (resolved !== undefined) faults.push(`package-lock.json: ${path} names ${resolved}`)
  return faults
}

/** Checks a lock file of Bun. The packages of the tests and of the documentation have such files. */
function checkBunLock(path: string, text: string): string[] {
  return [...text.matchAll(/https?:\/\/[^"\s]+/g)].map(([host]) => `${path}: names ${host}`)
}

/** Checks that decision 10 gives a reason for each dependency, and that each row of its table is a dependency. */
export function checkDecision(text: string, manifests: readonly Manifest[]): string[] {
  const rows = [...text.matchAll(/^\| ([@a-z][\w@/.-]*) \|/gm)].map((match) => match[1] ?? "")
  const words = new Set(text.match(/@?[\w-]+(?:[./][\w-]+)*/g))
  const names = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !OWN.test(name)),
  )
  const isNamed = (name: string) => words.has(name) || words.has(name.split("/")[0] ?? name)
  const used = new Set(names)
  return [
    ...names.filter((name) => !isNamed(name)).map((name) => `${DECISION}: has no word of ${name}`),
    ...rows
      .filter((name) => name !== "package" && !used.has(name))
      .map((name) => `${DECISION}: has a row for ${name}, which nothing names`),
  ]
}

interface Sized extends Locked {
  /** Installed size in bytes. */
  readonly size: number
}

/** Checks that installed packages stay below the limits. */
export function checkSizes(packages: readonly Sized[]): string[] {
  const production = packages.filter(({ dev, path }) => !dev && !RUNTIME.test(path))
  return [
    ...sizeFault("production, apart from Bun,", production, LIMITS.production),
    ...sizeFault("everything", packages, LIMITS.everything),
  ]
}

function sizeFault(what: string, packages: readonly Sized[], limit: number): string[] {
  const sum = packages.reduce((total, { size }) => total + size, 0)
  if (sum <= limit) return []
  const largest = packages
    .toSorted((left, right) => right.size - left.size)
    .slice(0, 5)
    .map(({ path, size }) => `${path} ${megabytes(size)}`)
  return [
    `package-lock.json: ${what} takes ${megabytes(sum)}, more than ${megabytes(limit)}: ${largest.join(", ")}`,
  ]
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

/**
 * Returns the size of a package on disk in bytes, without the packages inside it; 0 if it is for another platform.
 * @param seen inodes that are already counted, because Bun's program has two names.
 */
function sizeOf(folder: string, seen: Set<number>): number {
  if (!existsSync(folder)) return 0
  let size = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) size += sizeOf(path, seen)
    if (!entry.isFile()) continue
    const file = statSync(path)
    if (!seen.has(file.ino)) size += Math.ceil(file.size / BLOCK) * BLOCK
    seen.add(file.ino)
  }
  return size
}
