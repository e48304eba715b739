import { expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { samplesOf, valueOf } from "../metrics/samples.ts"
import { simulated, startGateway, type TestGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"

const TOKEN = "token-of-the-metrics"
const CANARY = "canary-prompt-5d20"
const MEBIBYTE = 1024 * 1024

class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "tollgate-sinks-"))
  readonly file = join(this.path, "log/requests.jsonl")

  lines(): Record<string, unknown>[] {
    const lines = readFileSync(this.file, "utf8").split("\n").filter(Boolean)
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true })
  }
}

function settings(folder: Folder, more = {}) {
  const file = { path: folder.file, rotateBytes: MEBIBYTE, keep: 3 }
  const log = { requests: false, queueBytes: MEBIBYTE, file, ...more }
  return { log, metrics: { host: "", token: TOKEN } }
}

const chat = (model: string, more = {}) => ({
  model,
  messages: [{ role: "user", content: CANARY }],
  max_tokens: 20,
  ...more,
})

async function count({ url }: TestGateway, outcome: string): Promise<number | undefined> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const name = "tollgate_request_lines_total"
  return valueOf(samplesOf(await response.text()), name, { sink: "file", outcome })
}

test("each request adds one line to the log file, and the line is counted", async () => {
  using folder = new Folder()
  await using gateway = await startGateway({
    settings: settings(folder),
    models: { "sim/fault-500": simulated() },
  })
  expect(await count(gateway, "written")).toBe(0)
  const caller = await gateway.caller("1")
  const ids: (string | null)[] = []
  for (const body of [
    chat("sim/echo"),
    chat("sim/echo", { stream: true }),
    chat("sim/fault-500"),
  ]) {
    const response = await caller.post("/v1/chat/completions", body)
    await response.text()
    ids.push(response.headers.get("x-request-id"))
  }
  await (await caller.post("/v1/chat/completions", chat("sim/none"))).text()
  await until(async () => (await count(gateway, "written")) === 3)
  expect(await count(gateway, "dropped")).toBe(0)
  const lines = folder.lines()
  expect(lines.map(({ request }) => request)).toEqual(ids)
  expect(lines.map(({ status }) => status)).toEqual(["settled", "settled", "released"])
  const receipt = (await (await caller.get(`/v1/receipts/${ids[0]}`)).json()) as { charged: string }
  expect(lines[0]).toMatchObject({ account: caller.account.id, charged: receipt.charged })
  const text = readFileSync(folder.file, "utf8")
  for (const secret of ["canary", caller.key]) expect(text).not.toContain(secret)
  expect(gateway.heard.filter(({ name }) => name === "requestEnded")).toEqual([])
})

test("pending log lines are written at the shutdown", async () => {
  using folder = new Folder()
  const gateway = await startGateway({ settings: settings(folder) })
  const caller = await gateway.caller("1")
  for (let index = 0; index < 5; index++) {
    await (await caller.post("/v1/chat/completions", chat("sim/echo"))).text()
  }
  await gateway[Symbol.asyncDispose]()
  expect(folder.lines()).toHaveLength(5)
})

test("a log file that cannot be written affects no request, and the operator is notified", async () => {
  using folder = new Folder()
  writeFileSync(join(folder.path, "log"), "in the way")
  await using gateway = await startGateway({ settings: settings(folder, { queueBytes: 1_500 }) })
  const caller = await gateway.caller("1")
  for (let index = 0; index < 5; index++) {
    const response = await caller.post("/v1/chat/completions", chat("sim/echo"))
    expect(response.status).toBe(200)
    await response.text()
  }
  await until(() => gateway.heard.some(({ name }) => name === "linesNotDelivered"))
  expect(await count(gateway, "written")).toBe(0)
  expect(await count(gateway, "dropped")).toBeGreaterThan(0)
  expect(gateway.heard.find(({ name }) => name === "linesDropped")?.facts).toEqual(["file", 1])
  gateway.app.skipDrain()
})
