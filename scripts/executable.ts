/**
 * The entry of the executable: starts the gateway, or the simulator when the gateway asks for it. When
 * `bin/tollgate` starts it next to a source that has changed since the build, it starts that source instead.
 */
import { argv, env } from "node:process"
import { isUnchanged, type Sources } from "./sources.ts"

/** Defined by the build. */
declare const BUILT_FROM: Sources

/** The variable in which `bin/tollgate` passes the source folder. Not set for an executable on its own. */
const SOURCE_VARIABLE = "TOLLGATE_SOURCE"

const root = env[SOURCE_VARIABLE]
// Child processes run the same program, even if the source changes meanwhile.
delete env[SOURCE_VARIABLE]
if (root !== undefined && !isUnchanged(root, BUILT_FROM)) startSource(root)

const isSimulator = argv[2] === "simulator"
await (isSimulator ? import("../simulator/main.ts") : import("../src/main.ts"))

/** Replaces this process with one that runs the source. @throws if no runtime is installed. */
function startSource(folder: string): void {
  const bun = Bun.which("bun", { PATH: `${folder}/node_modules/.bin:${env["PATH"]}` })
  if (bun === null) throw new Error(`${argv[0]} is not of this source: run 'npm run build' again`)
  process.execve?.(bun, [bun, `${folder}/src/main.ts`, ...argv.slice(2)], { ...env })
}
