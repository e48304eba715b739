import { Database } from "bun:sqlite"
import { afterAll, expect, test } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import {
  createInstallation,
  type Installation,
  PROGRAM_WORDS,
  runCommand,
  runJson,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"

const ANY_PORT = "server: { port: 0 }\n"
const LEDGER_FILES = ["tollgate.db", "tollgate.db-wal", "tollgate.db-shm"]

interface Verdict {
  readonly ledger: string
  readonly with_log: boolean
  readonly is_right: boolean
  readonly entries: number
  readonly anchor: { readonly rows: number; readonly genuine: boolean | null } | null
  readonly problems: readonly { readonly fault: string; readonly message: string }[]
}

async function installed(): Promise<Installation> {
  const installation = createInstallation(ANY_PORT)
  await runJson(installation, "account", "create", "one", "--credits", "5")
  await runJson(installation, "credits", "grant", "one", "2")
  return installation
}

async function verified(data: string): Promise<{ exitCode: number; verdict: Verdict }> {
  const words = ["--json", "ledger", "verify"]
  const { exitCode, stdout } = await runCommand({ ...elsewhere, data }, ...words)
  return { exitCode, verdict: JSON.parse(stdout) as Verdict }
}

/** A settings file outside every data folder. The command must not create anything in its folder. */
const elsewhere = createInstallation(ANY_PORT)
afterAll(() => elsewhere[Symbol.dispose]())

/** Returns the files in a folder, except the anchor, which a running gateway updates. */
function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("anchor.json"))
    .toSorted()
}

/** Sends a chat to the simulator through a gateway. The charge is then only in the write-ahead log of the ledger. */
async function chat(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const models = await fetch(`${url}/v1/models`, { headers })
  const { data } = (await models.json()) as { data: { id: string }[] }
  const model = data.find(({ id }) => id.endsWith("/echo"))?.id
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] })
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
}

test.concurrent("a start with secrets but without the ledger fails and reports the remedy", async () => {
  using installation = await installed()
  for (const name of LEDGER_FILES) rmSync(join(installation.data, name), { force: true })
  for (const words of [["serve"], ["key", "list"]]) {
    const { exitCode, stderr } = await runCommand(installation, ...words)
    expect([words, exitCode]).toEqual([words, 4])
    expect(stderr).toContain("tollgate.db is missing")
    expect(stderr).toContain("backup")
    expect(stderr).toContain("--new-ledger")
  }
  expect(existsSync(join(installation.data, "tollgate.db"))).toBe(false)
})

test.concurrent("a start with the ledger but without its secrets fails and creates no secrets", async () => {
  using installation = await installed()
  await runJson(installation, "key", "create", "--account", "one")
  rmSync(join(installation.data, "secrets"), { recursive: true })
  for (const words of [["serve"], ["key", "list"]]) {
    const { exitCode, stderr } = await runCommand(installation, ...words)
    expect([words, exitCode]).toEqual([words, 4])
    expect(stderr).toContain("secrets of")
    expect(stderr).toContain("backup")
  }
  expect(existsSync(join(installation.data, "secrets", "key-pepper"))).toBe(false)
})

test.concurrent("a start with a request for a new ledger creates one only if no ledger exists", async () => {
  using installation = await installed()
  const rejected = await runCommand(installation, "serve", "--new-ledger")
  expect(rejected.exitCode).toBe(5)
  expect(rejected.stderr).toContain("there is already a ledger")
  for (const name of LEDGER_FILES) rmSync(join(installation.data, name), { force: true })
  const serving = await startServing(installation, {}, undefined, ["--new-ledger"])
  serving.process.kill("SIGTERM")
  expect(await serving.process.exited).toBe(0)
  const { verdict } = await verified(installation.data)
  expect(verdict).toMatchObject({ is_right: true })
})

test.concurrent("a start with a damaged ledger reports the remedy", async () => {
  using installation = await installed()
  await Bun.write(join(installation.data, "tollgate.db"), "this is no database\n".repeat(500))
  const { exitCode, stderr } = await runCommand(installation, "serve")
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`${installation.data}/tollgate.db is damaged`)
  expect(stderr).toContain("backup")
  expect(stderr).toContain("ledger verify")
  expect(stderr).not.toContain("TOLLGATE_DEBUG")
})

test.concurrent("verification of a folder without a ledger creates no files and exits with code 4", async () => {
  using folder = createInstallation(ANY_PORT)
  const data = join(folder.data, "wrong")
  for (const exists of [false, true]) {
    if (exists) mkdirSync(data)
    const place = { ...folder, data }
    const { exitCode, stderr } = await runCommand(place, "ledger", "verify")
    expect(exitCode).toBe(4)
    expect(stderr).toContain(join(data, "tollgate.db"))
    expect(existsSync(data) ? readdirSync(data) : []).toEqual([])
  }
})

test.concurrent("verification accepts the ledger of a running gateway, but not a copy without its write-ahead log", async () => {
  using installation = await installed()
  const { key } = await runJson<{ key: string }>(installation, "key", "create", "--account", "one")
  await using serving = await startServing(installation)
  await chat(serving.url, key)
  const before = filesOf(installation.data)
  const running = await verified(installation.data)
  expect(running.verdict).toMatchObject({ is_right: true, entries: 3 })
  expect(filesOf(installation.data)).toEqual(before)
  expect(running.verdict.ledger).toBe(join(installation.data, "tollgate.db"))

  // The anchor is written at intervals and when the gateway ends.
  const anchor = join(installation.data, "anchor.json")
  await until(
    async () => existsSync(anchor) && (await Bun.file(anchor).text()).includes('"rowCount":3'),
    25_000,
  )
  using copies = createInstallation(ANY_PORT)
  const whole = join(copies.data, "whole")
  cpSync(installation.data, whole, { recursive: true })
  rmSync(join(whole, "tollgate.db-shm"))
  const copied = await verified(whole)
  expect(copied.verdict).toMatchObject({ is_right: true, entries: 3, with_log: true })
  expect(copied.verdict.anchor).toMatchObject({ rows: 3, genuine: true })
  expect(existsSync(join(whole, "tollgate.db-shm"))).toBe(false)

  rmSync(join(whole, "tollgate.db-wal"))
  const bare = await runCommand({ ...elsewhere, data: whole }, "ledger", "verify")
  expect(bare.exitCode).toBe(1)
  expect(bare.stderr).toContain("tollgate.db-wal")
})

const canMount = Bun.spawnSync(["unshare", "--mount", "true"]).success

test.skipIf(!canMount)(
  "on read-only media, a ledger can be verified, but a gateway cannot start",
  async () => {
    using installation = await installed()
    const command = (words: string): string =>
      `"${PROGRAM_WORDS.join(`" "`)}" --config "${elsewhere.config}" --data "${installation.data}" ${words}`
    const script = `mount --bind "${installation.data}" "${installation.data}" &&
    mount -o remount,bind,ro "${installation.data}" && ${command("--json ledger verify")} && ${command("serve")}`
    const child = Bun.spawn(["unshare", "--mount", "sh", "-c", script], {
      stdout: "pipe",
      stderr: "pipe",
    })
    const stdout = await new Response(child.stdout).text()
    const stderr = await new Response(child.stderr).text()
    expect(await child.exited).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ is_right: true, entries: 2 })
    expect(stderr).toContain(`${installation.data} is on a read-only file system (EROFS)`)
    expect(stderr).toContain("--data")
  },
)

test.concurrent("verification detects a truncated ledger by the anchor file", async () => {
  using installation = await installed()
  const serving = await startServing(installation)
  serving.process.kill("SIGTERM")
  await serving.process.exited
  using database = new Database(join(installation.data, "tollgate.db"))
  database.run("DELETE FROM entries WHERE number = 2")
  database.run("UPDATE balances SET posted = posted - 2000000000")
  database.run("UPDATE anchor SET last_row = 0, row_count = 0, hash_sum = ''")
  database.close()
  const { exitCode, stderr } = await runCommand(installation, "ledger", "verify")
  expect(exitCode).toBe(1)
  expect(stderr).toContain("1 of them are missing")
  const again = await startServing(installation)
  again.process.kill("SIGTERM")
  await again.process.exited
  expect(again.errors()).toContain("ledger_behind")
})

test.concurrent("a gateway whose shared-memory file was deleted does not overwrite other writers' data", async () => {
  using installation = await installed()
  const { key } = await runJson<{ key: string }>(installation, "key", "create", "--account", "one")
  await using serving = await startServing(installation)
  for (let call = 0; call < 20; call++) await chat(serving.url, key)
  rmSync(join(installation.data, "tollgate.db-shm"))
  await until(async () => (await fetch(`${serving.url}/readyz`)).status !== 200)
  for (let grant = 0; grant < 3; grant++) {
    await runJson(installation, "credits", "grant", "one", "1", "--note", `grant ${grant}`)
  }
  serving.process.kill("SIGTERM")
  expect(await serving.process.exited).toBe(0)
  expect(serving.errors().split("node_failed").length).toBeLessThan(5)
  const { verdict } = await verified(installation.data)
  expect(verdict).toMatchObject({ is_right: true, entries: 25 })
})
