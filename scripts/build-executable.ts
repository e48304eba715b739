/**
 * Builds `dist/tollgate`: the gateway, its console, the simulator and the runtime in one compiled file.
 * `--if-missing` builds it only where it is absent or made from another source.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { isUnchanged, readSources, type Sources } from "./sources.ts"

const EXECUTABLE = "dist/tollgate"
/** What the executable was built from, for the next build. */
const RECORD = "dist/tollgate.json"
const CONSOLE_FOLDER = "console/dist"

const isOnlyWanted = Bun.argv.includes("--if-missing")
const hasConsole = existsSync(join(CONSOLE_FOLDER, "index.html"))
if (isOnlyWanted) {
  // Without it the gateway runs from its source: only a start takes longer.
  if (hasConsole && !isFresh()) await build().catch(console.error)
} else {
  if (!hasConsole) throw new Error("the console is not built: run 'npm run build:console' first")
  await build()
}

function isFresh(): boolean {
  if (!existsSync(EXECUTABLE) || !existsSync(RECORD)) return false
  return isUnchanged(".", JSON.parse(readFileSync(RECORD, "utf8")) as Sources)
}

async function build(): Promise<void> {
  const began = performance.now()
  mkdirSync("dist", { recursive: true })
  const sources = JSON.stringify(readSources("."))
  const unfinished = `${EXECUTABLE}.${process.pid}`
  const built = await Bun.build({
    root: ".",
    entrypoints: [
      "scripts/executable.ts",
      "src/store/sqlite/thread.ts",
      "src/store/sqlite/requests-thread.ts",
      "src/store/sqlite/conversations-thread.ts",
      "src/store/sqlite/journal-thread.ts",
      "src/store/sqlite/checkpoint-thread.ts",
      "src/store/sqlite/sync-thread.ts",
      "src/cli/watchdog-thread.ts",
      "src/relay/tokens/token-counter-thread.ts",
      "src/relay/tokens/token-decoder-thread.ts",
      consoleModule(),
    ],
    compile: { outfile: unfinished },
    define: { BUILT_FROM: sources },
    // The gateway finds the console's files by the names that they have in the source tree.
    naming: { asset: "[dir]/[name].[ext]" },
    // Compiled to bytecode, with modules that a start does not need in separate files: a third of the time.
    bytecode: true,
    format: "esm",
    splitting: true,
    minify: true,
    sourcemap: "none",
  })
  for (const log of built.logs) console.error(log)
  if (!built.success) throw new Error("the executable could not be built")
  // A process that starts during the build gets the complete old or the complete new file.
  renameSync(unfinished, EXECUTABLE)
  writeFileSync(RECORD, sources)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  console.log(`${EXECUTABLE}: compiled in ${seconds} s`)
}

/** A module that names every file of the built console, so that they are carried inside. */
function consoleModule(): string {
  const paths = [...new Bun.Glob("**/*").scanSync(CONSOLE_FOLDER)].toSorted()
  const lines = paths.map((path, index) => {
    const address = JSON.stringify(resolve(CONSOLE_FOLDER, path))
    return `import file${index} from ${address} with { type: "file" }`
  })
  const names = paths.map((_, index) => `file${index}`)
  const module = join("dist", "console-files.ts")
  writeFileSync(module, `${lines.join("\n")}\nexport const files = [${names.join(", ")}]\n`)
  return module
}
