import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { VERSION } from "../src/runtime.ts"
import { billOfMaterials } from "./bill-of-materials.ts"
import { compileExecutable, hasConsole } from "./compile-executable.ts"
import { readSystem, TARGETS } from "./release-targets.ts"
import { readSources } from "./sources.ts"

const usage = `usage: npm run build:release -- [TARGET...] [--out FOLDER]

Builds an executable for each target, with checksums and a list of the components.

  TARGET          default all: ${Object.keys(TARGETS).join(", ")}
  --out FOLDER    default dist/release
`

const NETWORK =
  "Bun gets the runtimes of other systems from the registry of npm, once; without a network, " +
  "'npm run build' makes the executable of this machine"

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { out: { type: "string", default: "dist/release" } },
    allowPositionals: true,
  })
  const names = positionals.length > 0 ? positionals : Object.keys(TARGETS)
  const unknown = names.find((name) => TARGETS[name] === undefined)
  if (unknown !== undefined) {
    console.error(`there is no target '${unknown}'\n\n${usage}`)
    return 2
  }
  if (!hasConsole()) throw new Error("the console is not built: run 'npm run build:console' first")
  const folder = values.out
  // Files of another version that remain in the folder would appear to belong to this version.
  rmSync(join(folder, "SHA256SUMS"), { force: true })
  mkdirSync(folder, { recursive: true })
  const built: string[] = []
  const missing: string[] = []
  for (const name of names) {
    const path = await build(folder, name)
    if (path === undefined) missing.push(name)
    else built.push(path)
  }
  const bill = join(folder, `tollgate-${VERSION}.cdx.json`)
  writeFileSync(bill, `${JSON.stringify(await billOfMaterials(), null, 2)}\n`)
  await writeChecksums(folder, [...built, bill])
  if (missing.length === 0) return 0
  console.error(`${folder} is not complete, ${missing.join(", ")} could not be built. ${NETWORK}`)
  return 1
}

/**
 * Builds one executable.
 * @returns undefined if the build failed, so that the other builds continue.
 */
async function build(folder: string, name: string): Promise<string | undefined> {
  const target = TARGETS[name]
  if (target === undefined) return undefined
  const path = join(folder, `tollgate-${VERSION}-${name}${target.ending}`)
  try {
    rmSync(path, { force: true })
    await compileExecutable(path, readSources("."), target.bun)
    const system = await readSystem(path)
    if (system !== target.system) throw new Error(`${path} is for ${system}, not ${target.system}`)
    console.log(`${path}: ${system}`)
    return path
  } catch (error) {
    rmSync(path, { force: true })
    console.error(`${name}: ${reasonOf(error)}`)
    return undefined
  }
}

/**
 * Returns the reason for a failed build. Bun's error only has the message "Bundle failed". Its inner errors have the
 * reasons.
 */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ")
  return error instanceof Error ? error.message : String(error)
}

/** Writes checksums in the form that `sha256sum --check` reads. */
async function writeChecksums(folder: string, paths: readonly string[]): Promise<void> {
  const lines: string[] = []
  for (const path of paths) {
    const hash = new Bun.CryptoHasher("sha256")
    for await (const chunk of Bun.file(path).stream()) hash.update(chunk)
    lines.push(`${hash.digest("hex")}  ${basename(path)}\n`)
  }
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""))
}

process.exitCode = await main()
