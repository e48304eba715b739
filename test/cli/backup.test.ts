import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { type Manifest, manifestText } from "../../src/cli/backup/manifest.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { startVendor, streamed, WHOLE_STREAM } from "../relay/scripted-vendor.ts"
import {
  createInstallation,
  type Installation,
  PROGRAM_WORDS,
  runCommand,
  runJson,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"
import { Folders, hashAgain, hashOf, type Made, rewrite, withKey } from "./backup-folders.ts"

const settingsWith = (url: string) => `
server: { port: 0 }
providers:
  vendor: { vendor: openai-compatible, api_key: upstream, base_url: "${url}" }
models:
  vendor/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`

async function chat(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify({
      model: "vendor/echo",
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  })
  return response.text()
}

test.concurrent("a backup under load contains all charges from before the backup", async () => {
  using vendor = startVendor(() => streamed([WHOLE_STREAM]))
  using before = createInstallation(settingsWith(vendor.url))
  using folders = new Folders(settingsWith(vendor.url))
  const { backups, restored } = folders
  const key = await withKey(before)
  const serving = await startServing(before)
  let answered = 0
  const stop = new AbortController()
  const callers = Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) {
      expect(await chat(serving.url, key)).toContain("[DONE]")
      answered++
    }
  })
  await until(() => answered > 20)
  const first = answered
  const made = await runJson<Made>(before, "backup", backups)
  const last = answered
  stop.abort()
  await Promise.all(callers)
  await serving[Symbol.asyncDispose]()

  const result = await runJson<{ entries: number; accounts: number }>(restored, "restore", backups)
  expect(result.accounts).toBe(1)
  // The entries include the grant. A charge is written before its response ends.
  expect(result.entries).toBeGreaterThanOrEqual(first + 1)
  expect(result.entries).toBeLessThanOrEqual(last + 1 + callers.length)
  expect((await databaseOf(restored).status()).nodes).toEqual([])
  expect(readdirSync(backups)).toEqual([made.name])
  expect(statSync(join(backups, made.name)).mode & 0o777).toBe(0o700)
  // Stored responses for repeated requests are part of the backup.
  expect(readdirSync(join(restored.data, "responses")).length).toBeGreaterThanOrEqual(first)

  await using again = await startServing(restored)
  expect(await chat(again.url, key)).toContain("[DONE]")
  const shown = await runJson<{ is_right: boolean; entries: number }>(restored, "ledger", "verify")
  expect(shown).toMatchObject({ is_right: true, entries: result.entries + 1 })
})

test.concurrent("old backups are deleted while other files remain, and the newest backup can be restored", async () => {
  using before = createInstallation("")
  using stranger = createInstallation("")
  using folders = new Folders("")
  const { backups, restored } = folders
  await withKey(before)
  await withKey(stranger)
  const other = await runJson<Made>(stranger, "backup", backups)
  const first = await runJson<Made>(before, "backup", backups)
  const second = await runJson<Made>(before, "backup", backups, "--keep", "2")
  await runJson(before, "credits", "grant", "caller", "5")
  const third = await runJson<Made>(before, "backup", backups, "--keep", "2")
  expect([second.removed, third.removed]).toEqual([[], [first.name]])
  expect(readdirSync(backups).toSorted()).toEqual([other.name, second.name, third.name].toSorted())

  // This backup was made while the clock was ahead. The newest backup is kept anyway.
  const ahead = first.name.replace(/-\d{8}T/, "-20991231T")
  cpSync(join(backups, third.name), join(backups, ahead), { recursive: true })
  const fourth = await runJson<Made>(before, "backup", backups, "--keep", "1")
  expect(fourth.removed).toEqual([second.name, third.name, ahead])

  const ambiguous = await runCommand(restored, "restore", backups)
  expect(ambiguous.exitCode).toBe(1)
  expect(ambiguous.stderr).toContain("has backups of 2 installations")
  expect(ambiguous.stderr).toContain(fourth.name)
  rmSync(join(backups, other.name), { recursive: true })
  const result = await runJson(restored, "restore", backups)
  expect(result).toMatchObject({ backup: join(backups, fourth.name), entries: 2 })
})

test.concurrent("a restore never overwrites files, and fails while a gateway is running", async () => {
  using before = createInstallation("server: { port: 0 }")
  using folders = new Folders("server: { port: 0 }")
  await withKey(before)
  await runJson(before, "backup", folders.backups)
  const taken = await runCommand(before, "restore", folders.backups)
  expect(taken.exitCode).toBe(1)
  expect(taken.stderr).toContain("already exists")
  const secrets = join(folders.restored.data, "secrets")
  mkdirSync(secrets, { recursive: true })
  writeFileSync(join(secrets, "key-pepper"), "another")
  const mixed = await runCommand(folders.restored, "restore", folders.backups)
  expect(mixed.stderr).toContain("key-pepper already exists")

  await using serving = await startServing(before)
  for (const name of readdirSync(before.data)) {
    if (name !== "run" && name !== "tollgate.yaml") {
      rmSync(join(before.data, name), { recursive: true })
    }
  }
  const running = await runCommand(before, "restore", folders.backups)
  expect(running.exitCode).toBe(1)
  expect(running.stderr).toContain("a gateway runs on")
  expect(existsSync(join(before.data, "tollgate.db"))).toBe(false)
  expect(serving.process.exitCode).toBeNull()
})

const UNKNOWN_VERSIONS = {
  "26": "was written by a pre-release build (schema 26)",
  "999": "was written by a newer Tollgate (schema 999",
}

/** Changes to the folder of a backup, with the problems that must be reported. */
const ALTERED: Readonly<Record<string, readonly [string, (folder: string) => void]>> = {
  "a byte more": [
    "has more bytes than",
    (folder) => appendFileSync(join(folder, "tollgate.db"), "x"),
  ],
  "a byte less": [
    "bytes instead of",
    (folder) => {
      const path = join(folder, "tollgate.db")
      truncateSync(path, statSync(path).size - 1)
    },
  ],
  "another byte": [
    "tollgate.db has changed",
    (folder) => {
      const bytes = readFileSync(join(folder, "tollgate.db"))
      bytes[5_000] = (bytes[5_000] ?? 0) ^ 1
      writeFileSync(join(folder, "tollgate.db"), bytes)
    },
  ],
  "a missing file": [
    "key-pepper is missing",
    (folder) => rmSync(join(folder, "secrets/key-pepper")),
  ],
  "a folder in place of a file": [
    "key-pepper is not a file",
    (folder) => {
      rmSync(join(folder, "secrets/key-pepper"))
      mkdirSync(join(folder, "secrets/key-pepper"))
    },
  ],
  "a named pipe in place of a file": [
    "key-pepper is not a file",
    (folder) => {
      rmSync(join(folder, "secrets/key-pepper"))
      Bun.spawnSync(["mkfifo", join(folder, "secrets/key-pepper")])
    },
  ],
  "a file listed twice": [
    "its manifest is damaged",
    (folder) =>
      hashAgain(folder, (manifest) => ({
        ...manifest,
        files: [...manifest.files, ...manifest.files.slice(-1)],
      })),
  ],
  "a manifest without the secret of its signature": [
    "its manifest lacks secrets/key-pepper",
    (folder) =>
      hashAgain(folder, (manifest) => ({
        ...manifest,
        files: manifest.files.filter(({ path }) => path !== "secrets/key-pepper"),
      })),
  ],
  "half a manifest": [
    "its manifest is damaged",
    (folder) => truncateSync(join(folder, "manifest.json"), 100),
  ],
  "a manifest that names other files": [
    "its manifest is damaged",
    (folder) => rewrite(folder, (text) => text.replace("secrets/key-pepper", "../../key-pepper")),
  ],
  "another time": [
    "its manifest was changed",
    (folder) => rewrite(folder, (text) => text.replace(/"made_at": "2/, '"made_at": "3')),
  ],
  "another balance, hashed again": ["its ledger has been altered", enrich],
  ...Object.fromEntries(
    Object.entries(UNKNOWN_VERSIONS).map(([version, words]) => [
      `schema ${version}`,
      [
        words,
        (folder: string) => {
          setVersion(folder, version)
          signAgain(folder)
        },
      ],
    ]),
  ),
}

/** Simulates an attacker who has the secrets, but not the complete history. */
function enrich(folder: string): void {
  {
    using database = new Database(join(folder, "tollgate.db"))
    database.run("UPDATE entries SET amount = amount * 2, balance = balance * 2")
    database.run("UPDATE balances SET posted = posted * 2")
  }
  signAgain(folder)
}

function setVersion(folder: string, version: string): void {
  using database = new Database(join(folder, "tollgate.db"))
  database.run(`PRAGMA user_version = ${version}`)
}

/** Signs the manifest of a folder again after its ledger was changed. */
function signAgain(folder: string): void {
  const changed = hashOf(join(folder, "tollgate.db"))
  const secret = readFileSync(join(folder, "secrets/key-pepper"), "utf8").trim()
  rewrite(folder, (text) => {
    const { manifest } = JSON.parse(text) as { manifest: Manifest }
    const files = manifest.files.map((file) =>
      file.path === "tollgate.db" ? { ...file, ...changed } : file,
    )
    return manifestText({ ...manifest, files }, secret)
  })
}

test.concurrent("a truncated or modified backup is rejected, and leaves no files", async () => {
  using before = createInstallation("")
  using folders = new Folders("")
  const { backups, restored } = folders
  await withKey(before)
  const { name } = await runJson<Made>(before, "backup", backups)
  for (const [change, [words, alter]] of Object.entries(ALTERED)) {
    const copy = join(backups, "altered")
    cpSync(join(backups, name), copy, { recursive: true })
    alter(copy)
    const { exitCode, stderr } = await runCommand(restored, "restore", copy)
    expect([change, exitCode, stderr]).toEqual([change, 1, expect.stringContaining(words)])
    expect(existsSync(join(restored.data, "tollgate.db"))).toBe(false)
    expect(readdirSync(restored.data).filter((each) => each !== "run")).toEqual([])
    rmSync(copy, { recursive: true })
  }
  expect(await runJson(restored, "restore", backups)).toMatchObject({ entries: 1 })
})

test.concurrent("a ledger of a newer version or a pre-release build cannot be backed up", async () => {
  using before = createInstallation("")
  using folders = new Folders("")
  await withKey(before)
  for (const [version, words] of Object.entries(UNKNOWN_VERSIONS)) {
    setVersion(before.data, version)
    const rejected = await runCommand(before, "backup", folders.backups)
    expect(rejected.stderr).toContain(words)
  }
})

/** Makes a backup slow with a stored response that has many bytes but takes no space on disk. */
function withLargeResponse({ data }: Installation): void {
  mkdirSync(join(data, "responses"), { recursive: true })
  writeFileSync(join(data, "responses/large"), "")
  truncateSync(join(data, "responses/large"), 400_000_000)
}

function startBackup({ data, config }: Installation, to: string, limit = "unlimited") {
  const words = [...PROGRAM_WORDS, "--config", config, "--data", data, "backup", to]
  return Bun.spawn(["sh", "-c", `ulimit -f ${limit}; exec "$@"`, "sh", ...words], {
    stdout: "ignore",
    stderr: "pipe",
  })
}

/**
 * Stops a process when a file exists. A separate process waits for the file, because the event loop of the tests may be
 * busy for longer than the process runs.
 * @param file a path, which may contain the wildcard `*`.
 */
async function stopAt(file: string, { pid }: Bun.Subprocess): Promise<void> {
  const script = `until [ -e ${file} ]; do kill -0 ${pid} || exit 1; done; kill -STOP ${pid}`
  expect(await Bun.spawn(["sh", "-c", script]).exited).toBe(0)
}

test.concurrent("a killed backup is not listed, and the next backup removes its files", async () => {
  using before = createInstallation("")
  using folders = new Folders("")
  const { backups } = folders
  await withKey(before)
  withLargeResponse(before)
  const killed = startBackup(before, backups)
  await stopAt(join(backups, "*/responses/large"), killed)
  // Only one backup can run at a time.
  const second = await runCommand(before, "backup", backups)
  killed.kill("SIGKILL")
  expect(await killed.exited).toBe(137)
  expect(second.stderr).toContain("another backup of")
  expect(readdirSync(backups)).toEqual([expect.stringMatching(/\.part$/)])
  const none = await runCommand(folders.restored, "restore", backups)
  expect(none.exitCode).toBe(4)
  rmSync(join(before.data, "responses"), { recursive: true })
  const { name } = await runJson<Made>(before, "backup", backups)
  expect(readdirSync(backups)).toEqual([name])
})

test.concurrent("a gateway cannot start after a killed restore, which can be repeated", async () => {
  using before = createInstallation("")
  using folders = new Folders("server: { port: 0 }")
  const { backups, restored } = folders
  await withKey(before)
  withLargeResponse(before)
  await runJson(before, "backup", backups)
  const words = ["--config", restored.config, "--data", restored.data, "restore", backups]
  const killed = Bun.spawn([...PROGRAM_WORDS, ...words], { stdout: "ignore" })
  const unfinished = join(restored.data, "tollgate.db.unfinished")
  await stopAt(join(unfinished, "responses/large"), killed)
  const second = await runCommand(restored, "restore", backups)
  expect(second.stderr).toContain("another restore of")
  killed.kill("SIGKILL")
  await killed.exited
  expect(existsSync(join(restored.data, "tollgate.db"))).toBe(false)
  const rejected = await runCommand(restored, "serve")
  expect(rejected.exitCode).toBe(1)
  expect(rejected.stderr).toContain("was not finished")
  expect(await runJson(restored, "restore", backups)).toMatchObject({ entries: 1 })
  expect(existsSync(unfinished)).toBe(false)
})

test.concurrent("a backup fails on a full disk and leaves no files", async () => {
  using before = createInstallation("")
  using folders = new Folders("")
  const { backups } = folders
  await withKey(before)
  // Limits in blocks of 512 bytes. The first is less than the ledger needs, and the second less than a response needs.
  for (const limit of ["400", "2000"]) {
    if (limit === "2000") withLargeResponse(before)
    const full = startBackup(before, backups, limit)
    const words = await new Response(full.stderr).text()
    expect([limit, await full.exited]).toEqual([limit, 1])
    expect(words).toContain(`cannot be written to ${backups}`)
    expect(words).toContain("the disk is full or broken")
    expect(readdirSync(backups)).toEqual([])
  }
})

test.concurrent("a backup fails before it writes anything if the disk space is insufficient", async () => {
  using before = createInstallation("")
  using folders = new Folders("")
  await withKey(before)
  withLargeResponse(before)
  // Stored responses do not count in the backup's estimate of its size either.
  truncateSync(join(before.data, "responses/large"), 8e12)
  const { exitCode, stderr } = await runCommand(before, "backup", folders.backups)
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/a backup needs 8\.0 TB in .+ are free/)
  expect(stderr).toContain("Nothing was changed")
  expect(readdirSync(folders.backups)).toEqual([])
})
