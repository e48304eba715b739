/** Builds `dist/tollgate`: the gateway, its console, the simulator and the runtime in one file. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const CONSOLE_FOLDER = "console/dist"

mkdirSync("dist", { recursive: true })
const built = await Bun.build({
  root: ".",
  entrypoints: [
    "scripts/executable.ts",
    "src/store/sqlite/thread.ts",
    "src/store/sqlite/requests-thread.ts",
    "src/store/sqlite/checkpoint-thread.ts",
    "src/relay/token-counter-thread.ts",
    "src/relay/token-decoder-thread.ts",
    consoleModule(),
  ],
  compile: { outfile: "dist/tollgate" },
  // The gateway finds the console's files by the names that they have in the source tree.
  naming: { asset: "[dir]/[name].[ext]" },
  minify: true,
  sourcemap: "none",
})
for (const log of built.logs) console.error(log)
if (!built.success) throw new Error("the executable could not be built")
console.log("dist/tollgate")

/** A module that names every file of the built console, so that they are carried inside. */
function consoleModule(): string {
  const paths = [...new Bun.Glob("**/*").scanSync(CONSOLE_FOLDER)].toSorted()
  if (!paths.includes("index.html")) {
    throw new Error("the console is not built: run 'npm run build:console' first")
  }
  const lines = paths.map((path, index) => {
    const address = JSON.stringify(resolve(CONSOLE_FOLDER, path))
    return `import file${index} from ${address} with { type: "file" }`
  })
  const names = paths.map((_, index) => `file${index}`)
  const module = join("dist", "console-files.ts")
  writeFileSync(module, `${lines.join("\n")}\nexport const files = [${names.join(", ")}]\n`)
  return module
}
