import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Sources } from "./sources.ts"

const CONSOLE_FOLDER = "console/dist"

/** Whether the console has been built. An executable contains the built console. */
export function hasConsole(): boolean {
  return existsSync(join(CONSOLE_FOLDER, "index.html"))
}

/**
 * Compiles the gateway, its console, the simulator and the runtime into one file.
 * @param target the target as Bun names it, such as `bun-linux-arm64`. Defaults to this machine. Bun downloads the
 * runtime of another target once from the npm registry.
 * @throws if the build fails, or the runtime of the target is not available.
 */
export async function compileExecutable(
  path: string,
  sources: Sources,
  target?: Bun.Build.CompileTarget,
): Promise<void> {
  mkdirSync("dist", { recursive: true })
  const unfinished = `${path}.${process.pid}`
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
      "src/store/postgres/segments-thread.ts",
      "src/cli/settings-thread.ts",
      "src/cli/watchdog-thread.ts",
      "src/relay/worker/job-thread.ts",
      consoleModule(),
    ],
    compile: { outfile: unfinished, ...(target !== undefined && { target }) },
    define: { BUILT_FROM: JSON.stringify(sources) },
    // The gateway finds the files of the console by their names in the source tree.
    naming: { asset: "[dir]/[name].[ext]" },
    // Modules are compiled to bytecode, and modules that are not needed at startup are separate files. This reduces the
    // startup time to a third.
    bytecode: true,
    format: "esm",
    splitting: true,
    minify: true,
    sourcemap: "none",
  })
  for (const log of built.logs) console.error(log)
  const output = built.outputs[0]
  if (!built.success || output === undefined) throw new Error("the executable could not be built")
  // A process that starts during the build reads either the complete old file or the complete new file. On Windows, Bun
  // adds the file name extension.
  renameSync(output.path, path)
}

/** Returns a module that imports every file of the built console, so that the executable contains them. */
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
