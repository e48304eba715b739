/**
 * What the executable starts: the gateway, or the simulator when the gateway asks for it. When `bin/tollgate` starts it
 * beside a source that is no longer the one it was built from, the source itself is started.
 */
import { argv, env } from "node:process"
import { isUnchanged, type Sources } from "./sources.ts"

/** Put in by the build. */
declare const BUILT_FROM: Sources

/** Where `bin/tollgate` says the source is. An executable by itself has none. */
const SOURCE_VARIABLE = "TOLLGATE_SOURCE"

const root = env[SOURCE_VARIABLE]
// Children of this process are the same program, whatever becomes of the source meanwhile.
delete env[SOURCE_VARIABLE]
if (root !== undefined && !isUnchanged(root, BUILT_FROM)) startSource(root)

const isSimulator = argv[2] === "simulator"
await (isSimulator ? import("../simulator/main.ts") : import("../src/main.ts"))

/** Goes on as the source in this same process. @throws where there is nothing that runs it. */
function startSource(folder: string): void {
  const bun = Bun.which("bun", { PATH: `${folder}/node_modules/.bin:${env["PATH"]}` })
  if (bun === null) throw new Error(`${argv[0]} is not of this source: run 'npm run build' again`)
  process.execve?.(bun, [bun, `${folder}/src/main.ts`, ...argv.slice(2)], { ...env })
}
