/**
 * The entry point of the executable. It starts the gateway, or the simulator if the gateway requests it. If
 * `bin/tollgate` starts the executable next to sources that have changed since the build, it runs those sources
 * instead.
 */
import { argv, env } from "node:process"
import { isUnchanged, type Sources } from "./sources.ts"

/** The build replaces this name with the record of the sources. */
declare const BUILT_FROM: Sources

/** The variable in which `bin/tollgate` passes the source folder. It is not set if the executable runs on its own. */
const SOURCE_VARIABLE = "TOLLGATE_SOURCE"

const root = env[SOURCE_VARIABLE]
// The variable is deleted so that child processes run the same program, even if the source changes in the meantime.
delete env[SOURCE_VARIABLE]
if (root !== undefined && !isUnchanged(root, BUILT_FROM)) startSource(root)

const isSimulator = argv[2] === "simulator"
await (isSimulator ? import("../simulator/main.ts") : import("../src/main.ts"))

/** Replaces this process with a process that runs the source. @throws if no runtime is installed. */
function startSource(folder: string): void {
  const bun = Bun.which("bun", { PATH: `${folder}/node_modules/.bin:${env["PATH"]}` })
  if (bun === null) throw new Error(`${argv[0]} is not of this source: run 'npm run build' again`)
  process.execve?.(bun, [bun, `${folder}/src/main.ts`, ...argv.slice(2)], { ...env })
}
