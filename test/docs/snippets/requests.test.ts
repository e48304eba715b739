import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  cleanEnvironment,
  createInstallation,
  type Installation,
  type ServingProcess,
  startServing,
} from "../../support/process.ts"
import { shellCommands, userBlocks } from "./blocks.ts"

const ADMIN_TOKEN = "a-token-for-the-snippets"
const ADDRESS = /http:\/\/127\.0\.0\.1:8787/g
/** The folder in which programs of the pages are written, so that they find the packages of the tests. */
const PROGRAMS = join(import.meta.dir, "../../.snippets")

let installation: Installation
let gateway: ServingProcess
let environment: Record<string, string>
/** Ids that replace `acc_...` and `req_...` in the pages. */
let account: string
let request: string

beforeAll(async () => {
  installation = createInstallation(`admin_token: ${ADMIN_TOKEN}\nnotices: { private: true }\n`)
  gateway = await startServing(installation, { TOLLGATE_PORT: "0" })
  const key = /key: (\S+)/.exec(gateway.output())?.[1] ?? ""
  environment = cleanEnvironment({ TOLLGATE_KEY: key, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN })
  const created = await fetch(`${gateway.url}/admin/v1/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "acme" }),
  })
  account = ((await created.json()) as { id: string }).id
  const failed = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/nothing", messages: [] }),
  })
  request = failed.headers.get("x-request-id") ?? ""
  mkdirSync(PROGRAMS, { recursive: true })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  installation[Symbol.dispose]()
  rmSync(PROGRAMS, { recursive: true, force: true })
})

/** Matches calls of models that only a real provider has. */
const NEEDS_PROVIDER = /"model": "(?!sandbox\/)/

const blocks = userBlocks()

const calls = blocks
  .filter(({ language }) => language === "sh")
  .flatMap((block) => shellCommands(block).map((line) => [`${block.place} ${line}`, line] as const))
  .filter(([, line]) => line.startsWith("curl ") && line.search(ADDRESS) !== -1)
  .filter(([, line]) => !NEEDS_PROVIDER.test(line))

test("the pages contain curl requests", () => {
  expect(calls.length).toBeGreaterThan(12)
})

test.skipIf(Bun.which("curl") === null).each(calls)(
  "the curl request in the documentation succeeds: %s",
  (_place, line) => {
    const command = line
      .replaceAll(ADDRESS, gateway.url)
      .replaceAll(/acc_(?:\.\.\.|…)/g, account)
      .replaceAll(/req_\w*(?:\.\.\.|…)/g, request)
      .replaceAll("sk-tg-...", environment["TOLLGATE_KEY"] ?? "")
      .replace(/^curl /, "curl --silent --show-error --fail-with-body ")
    const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "-c", command], {
      env: environment,
      cwd: PROGRAMS,
    })
    expect(`${exitCode} ${stdout.toString()}${stderr.toString()}`).toStartWith("0 ")
  },
)

const programs = blocks
  .filter(({ language }) => language === "ts")
  .map(({ place, text }) => [place, text] as const)

test.each(programs)("the program at %s runs", async (place, text) => {
  const file = join(PROGRAMS, `${place.replaceAll(/\W/g, "-")}.ts`)
  writeFileSync(file, text.replaceAll(ADDRESS, gateway.url))
  const child = Bun.spawn([process.execPath, file], {
    env: environment,
    stdout: "pipe",
    stderr: "pipe",
  })
  const errors = await new Response(child.stderr).text()
  expect({ exitCode: await child.exited, errors }).toEqual({ exitCode: 0, errors: "" })
})

const pythonPrograms = blocks
  .filter(({ language }) => language === "python")
  .map(({ place, text }) => [place, text] as const)
const python = Bun.which("python3")

// `npm run test:foreign` runs Python's clients. Here, the Python programs of the pages are only compiled.
test.skipIf(python === null).each(pythonPrograms)("the program at %s compiles", (_place, text) => {
  const compile = "import sys; compile(sys.stdin.read(), 'snippet', 'exec')"
  const { exitCode, stderr } = Bun.spawnSync([python ?? "", "-c", compile], {
    stdin: Buffer.from(text),
  })
  expect(`${exitCode} ${stderr.toString()}`).toBe("0 ")
})
