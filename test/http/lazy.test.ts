import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const SOURCE = join(import.meta.dir, "..", "..", "src")
/** Matches modules that only the console and the management API need. */
const LATE = /^(oauth4webapi|@noble|stripe|zod-openapi|tollgate-contract\/routes\.ts)(\/|$)/

/** Returns all modules that a file loads before any request, as paths and packages. */
function loadedWith(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  const transpiler = new Bun.Transpiler({ loader: "ts" })
  for (const { kind, path: name } of transpiler.scanImports(readFileSync(path, "utf8"))) {
    if (kind !== "import-statement") continue
    const target = name.startsWith(".") ? join(dirname(path), name) : undefined
    if (target === undefined) loaded.add(name)
    else if (target.endsWith(".ts") && existsSync(target)) loadedWith(target, loaded)
  }
  return loaded
}

test("a gateway without the management API does not load the API's modules", () => {
  const loaded = [...loadedWith(join(SOURCE, "app.ts"))]
  expect(loaded.length).toBeGreaterThan(100)
  expect(loaded.filter((name) => LATE.test(name))).toEqual([])
  const rooms = ["http/admin", "http/console", "http/docs", "users"].map((one) => join(SOURCE, one))
  expect(loaded.filter((name) => rooms.some((room) => name.startsWith(`${room}/`)))).toEqual([])
})

test("only the console's modules import other modules of the console", () => {
  const files = [...new Bun.Glob("**/*.ts").scanSync({ cwd: SOURCE, absolute: true })]
  const needing = files.filter(
    (path) =>
      !path.startsWith(join(SOURCE, "http", "console")) &&
      new Bun.Transpiler({ loader: "ts" })
        .scanImports(readFileSync(path, "utf8"))
        .some(({ kind, path: name }) => kind === "import-statement" && name.includes("/console/")),
  )
  expect(needing).toEqual([])
})
