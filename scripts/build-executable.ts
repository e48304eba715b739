/**
 * Builds `dist/tollgate`: the gateway, its console, the simulator and the runtime in one compiled file. With
 * `--if-missing`, it builds only if the file is missing or was built from other sources.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { compileExecutable, hasConsole } from "./compile-executable.ts"
import { isUnchanged, readSources, type Sources } from "./sources.ts"

const EXECUTABLE = "dist/tollgate"
/** A record of the sources from which the executable was built. The next build reads it. */
const RECORD = "dist/tollgate.json"

const isOnlyWanted = Bun.argv.includes("--if-missing")
if (isOnlyWanted) {
  // Without the executable, the gateway runs from its source and only starts more slowly. A failed build is therefore
  // not fatal.
  if (hasConsole() && !isFresh()) await build().catch(console.error)
} else {
  if (!hasConsole()) throw new Error("the console is not built: run 'npm run build:console' first")
  await build()
}

function isFresh(): boolean {
  if (!existsSync(EXECUTABLE) || !existsSync(RECORD)) return false
  return isUnchanged(".", JSON.parse(readFileSync(RECORD, "utf8")) as Sources)
}

async function build(): Promise<void> {
  const began = performance.now()
  const sources = readSources(".")
  await compileExecutable(EXECUTABLE, sources)
  writeFileSync(RECORD, JSON.stringify(sources))
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  console.log(`${EXECUTABLE}: compiled in ${seconds} s`)
}
