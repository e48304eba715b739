import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import facts from "../../package.json" with { type: "json" }
import { until } from "../support/until.ts"

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url))
const LARGEST_PACKAGE = 3_000_000
/** The top-level files of the package, and further files of this project. */
const PARTS =
  /^package\/(LICENSE|README\.md|package\.json|tollgate\.schema\.json|bin\/|src\/|contract\/|simulator\/|console\/dist\/)/

let folder = ""
let tarball = ""

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-package-"))
  // `prepack` is not used, because it would rebuild the console while other tests use it.
  if (!existsSync(join(ROOT, "console/dist/index.html"))) await npm(ROOT, "run", "build:console")
  const { stdout } = await npm(
    ROOT,
    "pack",
    "--ignore-scripts",
    "--json",
    "--pack-destination",
    folder,
  )
  tarball = join(folder, /tollgate-[\d.]+\.tgz/.exec(stdout)?.[0] ?? "none")
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("the package contains exactly the gateway, its contract and the built console", async () => {
  expect(statSync(tarball).size).toBeLessThan(LARGEST_PACKAGE)
  const listing = await run(folder, ["tar", "--list", "--gzip", "--file", tarball])
  const paths = listing.stdout.trim().split("\n")
  expect(paths.filter((path) => !PARTS.test(path))).toEqual([])
  for (const path of [
    "bin/tollgate",
    "src/main.ts",
    "simulator/main.ts",
    "console/dist/index.html",
    "contract/decimal.ts",
    "src/store/postgres/routines/post-batch.sql",
    "tollgate.schema.json",
    "LICENSE",
    "README.md",
  ]) {
    expect(paths).toContain(`package/${path}`)
  }
})

test("the package does not depend on unpublished packages of this repository", async () => {
  const own = new Set(facts.workspaces.map((folder) => `tollgate-${folder}`))
  expect(Object.keys(facts.dependencies).filter((name) => own.has(name))).toEqual([])
  const place = join(folder, "names")
  mkdirSync(place)
  await run(place, ["tar", "--extract", "--gzip", "--file", tarball])
  const sources = new Bun.Glob("package/{bin,contract,simulator,src}/**/*.ts").scan(place)
  for await (const path of sources) {
    const text = readFileSync(join(place, path), "utf8")
    expect([path, /from "tollgate-/.exec(text)?.[0]]).toEqual([path, undefined])
  }
})

test("npx starts the package with only Node installed, in a folder with a space and an accent", async () => {
  const place = await installed("with scripts, é")
  await serve(place)
})

test.each([
  ["npm", "node_modules"],
  ["pnpm", "node_modules/.pnpm/bun/node_modules"],
])("the package starts if %s runs no install scripts", async (manager, modules) => {
  const place = await installed(manager)
  rmSync(join(place, "node_modules/bun"))
  // These are the contents of Bun's packages before the install script has moved the program.
  const bun = join(place, modules, "bun")
  mkdirSync(join(bun, "bin"), { recursive: true })
  writeFileSync(join(bun, "bin/bun.exe"), "echo the install script has not run\n", { mode: 0o755 })
  const platform = join(place, modules, "@oven/bun-of-the-platform/bin")
  mkdirSync(platform, { recursive: true })
  symlinkSync(process.execPath, join(platform, "bun"))
  if (manager === "pnpm") symlinkSync(bun, join(place, "node_modules/bun"))
  const { stdout } = await run(place, ["npx", "--offline", "tollgate", "--version"])
  expect(stdout).toBe(`${facts.version}\n`)
})

test("the package starts with Node if a package manager runs it", async () => {
  const place = await installed("with-node")
  const program = "node_modules/tollgate/bin/tollgate"
  const { stdout } = await run(place, ["node", program, "--version"])
  expect(stdout).toBe(`${facts.version}\n`)
})

/**
 * Returns a folder in which the package is installed as by `npm install`, with only its declared dependencies. Tests
 * use no network, so the dependencies are copied from this checkout.
 */
async function installed(name: string): Promise<string> {
  const place = join(folder, name)
  const modules = join(place, "node_modules")
  const own = join(modules, "tollgate")
  mkdirSync(own, { recursive: true })
  writeFileSync(join(place, "package.json"), "{}\n")
  await run(own, ["tar", "--extract", "--gzip", "--strip-components=1", "--file", tarball])
  for (const name of Object.keys(facts.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name))
  }
  mkdirSync(join(modules, ".bin"))
  symlinkSync("../tollgate/bin/tollgate", join(modules, ".bin/tollgate"))
  return place
}

/** Starts the gateway, sends a chat to the sandbox, requests the console, and ends the gateway. */
async function serve(place: string): Promise<void> {
  const log = join(place, "output")
  const child = Bun.spawn(["npx", "--offline", "tollgate"], {
    cwd: place,
    env: { ...onlyNode(), TOLLGATE_PORT: "0" },
    // The process has its own process group, which is ended as a whole, as with Ctrl+C.
    detached: true,
    stdio: ["ignore", Bun.file(log), Bun.file(log)],
  })
  await until(() => existsSync(log) && readFileSync(log, "utf8").includes("curl"))
  const output = readFileSync(log, "utf8")
  const url = /http:\/\/[\d.]+:\d+/.exec(output)?.[0] ?? ""
  const key = /^key: (\S+)$/m.exec(output)?.[1] ?? ""
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/echo", messages: [{ role: "user", content: "Hello" }] }),
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ choices: [{ message: { role: "assistant" } }] })
  const page = await fetch(`${url}/console/`)
  expect(await page.text()).toContain("<title>")
  expect(existsSync(join(place, "data/tollgate.db"))).toBe(true)
  process.kill(-child.pid, "SIGINT")
  await child.exited
  await until(() => isGone(url))
  const verified = await run(place, ["npx", "--offline", "tollgate", "ledger", "verify"])
  expect(verified.stdout).toContain("every row is correct")
}

function isGone(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  )
}

function npm(place: string, ...words: string[]) {
  return run(place, ["npm", ...words])
}

/**
 * Runs a command.
 * @throws with its output if it fails.
 */
async function run(place: string, command: string[]): Promise<{ stdout: string }> {
  const child = Bun.spawn(command, { cwd: place, env: onlyNode(), stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stdout}${stderr}`)
  return { stdout }
}

/** Returns the environment of a machine with Node and without Bun. */
function onlyNode(): Record<string, string> {
  const node = dirname(Bun.which("npm") ?? "")
  return { PATH: `${node}:/usr/bin:/bin`, HOME: process.env["HOME"] ?? "" }
}
