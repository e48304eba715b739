import { afterAll, beforeAll, expect, test } from "bun:test"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import facts from "../../package.json" with { type: "json" }
import { systemOf } from "../../scripts/release-targets.ts"
import { startListening } from "../support/process.ts"

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url))
/** The target for this machine. Its runtime does not have to be downloaded. */
const OWN = `linux-${process.arch}`
const NAME = `tollgate-${facts.version}-${OWN}`
/** An address at which no server listens. */
const NO_NETWORK = "http://127.0.0.1:1"

let folder = ""
let release = ""
let built = { exitCode: -1, stdout: "", stderr: "" }

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-release-"))
  release = join(folder, "release")
  if (!existsSync(join(ROOT, "console/dist/index.html"))) run(["npm", "run", "build:console"], ROOT)
  // The runtime of the other target is unavailable, because Bun's cache folder is empty.
  built = buildRelease(OWN, "windows-x64")
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("a release build without a network builds all other parts, reports the missing parts, and fails", () => {
  expect(built.stdout).toContain(`${NAME}: ELF ${process.arch}`)
  expect(built.stderr).toContain("is not complete, windows-x64 could not be built")
  expect(built.stderr).toContain("the registry of npm")
  expect(built.exitCode).toBe(1)
  expect(readdirSync(release).toSorted()).toEqual([
    "SHA256SUMS",
    NAME,
    `tollgate-${facts.version}.cdx.json`,
  ])
})

test("release checksums are correct, and the bill of materials lists all components except development packages", async () => {
  expect(run(["sha256sum", "--check", "--strict", "SHA256SUMS"], release).stdout).toBe(
    `${NAME}: OK\ntollgate-${facts.version}.cdx.json: OK\n`,
  )
  const bill = (await Bun.file(join(release, `tollgate-${facts.version}.cdx.json`)).json()) as {
    bomFormat: string
    components: { purl: string }[]
  }
  expect(bill.bomFormat).toBe("CycloneDX")
  const listed = bill.components.map(({ purl }) => purl)
  for (const [name, version] of Object.entries(facts.dependencies)) {
    expect(listed).toContain(`pkg:npm/${name.replace("@", "%40")}@${version}`)
  }
  const names = listed.map((purl) => purl.slice("pkg:npm/".length, purl.lastIndexOf("@")))
  // These libraries are compiled into the console.
  for (const name of ["react", "react-dom", "%40mantine/core"]) expect(names).toContain(name)
  // The contract is part of the program, although it is listed as a development dependency.
  const tools = Object.keys(facts.devDependencies)
    .filter((name) => name !== "tollgate-contract")
    .map((name) => name.replace("@", "%40"))
  for (const name of [...tools, "vite", "rolldown"]) expect(names).not.toContain(name)
})

test("an unknown release target is rejected with a list of the known targets", () => {
  const rejected = buildRelease("linux-sparc")
  expect(rejected.exitCode).toBe(2)
  expect(rejected.stderr).toContain("there is no target 'linux-sparc'")
  expect(rejected.stderr).toContain("linux-arm64-musl")
})

test("a released executable in an empty folder serves requests and the console, counts tokens and makes a backup", async () => {
  const place = join(folder, "place")
  mkdirSync(place)
  const program = join(place, "tollgate")
  copyFileSync(join(release, NAME), program)
  const environment = { PATH: "/usr/bin:/bin", TOLLGATE_PORT: "0", TOLLGATE_WORKERS: "2" }
  {
    await using serving = await startListening([program, "serve"], environment, place)
    const key = /^key: (\S+)$/m.exec(serving.output())?.[1] ?? ""
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const chat = (model: string) =>
      fetch(`${serving.url}/v1/chat/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
      })
    const response = await chat("sandbox/echo")
    expect(await response.json()).toMatchObject({ choices: [{ message: { role: "assistant" } }] })
    const uncounted = await chat("sandbox/fault-no-usage")
    expect(uncounted.status).toBe(200)
    await uncounted.text()
    const id = uncounted.headers.get("x-request-id")
    const receipt = await fetch(`${serving.url}/v1/receipts/${id}`, { headers })
    expect(await receipt.json()).toMatchObject({ estimated: true })
    const page = await (await fetch(`${serving.url}/console/`)).text()
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? ""
    expect((await fetch(new URL(script, `${serving.url}/console/`))).status).toBe(200)
    const backup = run([program, "backup", join(folder, "backups")], place)
    expect(backup).toMatchObject({ exitCode: 0 })
  }
  expect(readdirSync(place).toSorted()).toEqual(["data", "tollgate"])
  expect(run([program, "ledger", "verify"], place).stdout).toContain("every row is correct")
  expect(run([program, "--version"], place).stdout).toBe(`${facts.version}\n`)
})

test("the platform of an executable is read from its header", () => {
  expect(systemOf(header([0, "\x7fELF"], [18, 0x3e]))).toBe("ELF x64")
  expect(systemOf(header([0, "\x7fELF"], [18, 0xb7], [600, "/lib/ld-musl-aarch64.so.1"]))).toBe(
    "ELF arm64 musl",
  )
  expect(systemOf(header([0, 0xfacf], [2, 0xfeed], [4, 0x000c], [6, 0x0100]))).toBe("Mach-O arm64")
  expect(systemOf(header([0, "MZ"], [0x3c, 0x80], [0x80, "PE\0\0"], [0x84, 0x8664]))).toBe("PE x64")
  expect(systemOf(header([0, "MZ"], [0x3c, 0xffff]))).toBeUndefined()
  expect(systemOf(header([0, "#!/bin/sh\n"]))).toBeUndefined()
})

/** Returns the first page of a file, with texts and 16-bit numbers at the given positions. */
function header(...parts: [place: number, value: string | number][]): Buffer {
  const page = Buffer.alloc(4_096)
  for (const [place, value] of parts) {
    if (typeof value === "string") page.write(value, place, "latin1")
    else page.writeUInt16LE(value, place)
  }
  return page
}

function buildRelease(...targets: string[]) {
  const command = [process.execPath, "scripts/build-release.ts", ...targets, "--out", release]
  const runtimes = { HOME: folder, BUN_INSTALL_CACHE_DIR: join(folder, "runtimes") }
  return run(command, ROOT, { ...runtimes, HTTPS_PROXY: NO_NETWORK, HTTP_PROXY: NO_NETWORK })
}

function run(command: string[], place: string, environment: Record<string, string> = {}) {
  const env = { PATH: process.env["PATH"] ?? "", ...environment }
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: place, env })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}
