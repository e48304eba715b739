/** Builds `dist/tollgate`: the gateway, the simulator and the runtime in one file. */
import { mkdirSync } from "node:fs"

mkdirSync("dist", { recursive: true })
const built = await Bun.build({
  entrypoints: [
    "scripts/executable.ts",
    "src/store/sqlite/thread.ts",
    "src/store/sqlite/checkpoint-thread.ts",
    "src/relay/token-counter-thread.ts",
    "src/relay/token-decoder-thread.ts",
  ],
  compile: { outfile: "dist/tollgate" },
  minify: true,
  sourcemap: "none",
})
for (const log of built.logs) console.error(log)
if (!built.success) throw new Error("the executable could not be built")
console.log("dist/tollgate")
