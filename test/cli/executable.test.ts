import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cleanEnvironment, createInstallation, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url))
const EXECUTABLE = join(ROOT, "dist/tollgate")

test("the launcher starts the compiled program with workers, threads, simulator and console", async () => {
  using installation = createInstallation("server: { port: 0 }\n")
  const workers = { TOLLGATE_WORKERS: "2" }
  await using serving = await startServing(installation, workers, "bin/tollgate")
  expect(readlinkSync(`/proc/${serving.process.pid}/exe`)).toBe(EXECUTABLE)
  const key = /^key: (\S+)$/m.exec(serving.output())?.[1] ?? ""
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const ask = async (path: string, body: object) => {
    const asked = { method: "POST", headers, body: JSON.stringify(body) }
    const response = await fetch(`${serving.url}${path}`, asked)
    return {
      status: response.status,
      id: response.headers.get("x-request-id"),
      text: await response.text(),
    }
  }
  const messages = [{ role: "user", content: "Hello" }]
  const streamed = await ask("/v1/messages", {
    model: "sandbox/gemini",
    messages,
    max_tokens: 20,
    stream: true,
  })
  expect(streamed.text).toContain("event: message_stop")
  // Without reported usage, the gateway counts tokens itself on a separate thread.
  const uncounted = await ask("/v1/chat/completions", { model: "sandbox/fault-no-usage", messages })
  expect(uncounted.status).toBe(200)
  // Either process may answer, and the other one may have the receipt earlier.
  let receipt: Response | undefined
  await until(async () => {
    receipt = await fetch(`${serving.url}/v1/receipts/${uncounted.id}`, { headers })
    return receipt.status === 200
  })
  expect(await receipt?.json()).toMatchObject({ estimated: true })
  const page = await fetch(`${serving.url}/console/`)
  expect(await page.text()).toContain("<title>")
  const verified = run([
    join(ROOT, "bin/tollgate"),
    "--data",
    installation.data,
    "ledger",
    "verify",
  ])
  expect(verified).toMatchObject({ exitCode: 0 })
})

test("the launcher starts the source if the compiled program is older than the source", () => {
  const source = mkdtempSync(join(tmpdir(), "tollgate-source-"))
  mkdirSync(join(source, "src"))
  const program = "console.log(Bun.main, process.env.TOLLGATE_SOURCE, ...process.argv.slice(2))"
  writeFileSync(join(source, "src/main.ts"), program)
  const programs = join(source, "node_modules/.bin")
  mkdirSync(programs, { recursive: true })
  symlinkSync(process.execPath, join(programs, "bun"))
  const { stdout } = run([EXECUTABLE, "receipt", "a b"], { TOLLGATE_SOURCE: source })
  expect(stdout).toBe(`${source}/src/main.ts undefined receipt a b\n`)
  rmSync(source, { recursive: true })
})

function run(command: string[], environment: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    env: cleanEnvironment(environment),
  })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}
