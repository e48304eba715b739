import { expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FakeBucket } from "../support/fake-bucket.ts"
import {
  cleanEnvironment,
  createInstallation,
  PROGRAM_WORDS,
  runCommand,
  runJson,
} from "../support/process.ts"

const PLACE = "s3://shelf/of/tollgate"
const SECRET = "canary-of-the-bucket"

/** Runs a command with the credentials of a bucket. */
async function run(data: string, endpoint: string, ...words: string[]) {
  return runIn(endpoint === "" ? {} : keysAt(endpoint), data, ...words)
}

function keysAt(endpoint: string): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: SECRET, AWS_ENDPOINT: endpoint }
}

/** Runs a command with the credentials of a bucket and with additional environment variables. */
async function runIn(environment: Record<string, string>, data: string, ...words: string[]) {
  const child = Bun.spawn([...PROGRAM_WORDS, "--data", data, "--json", ...words], {
    cwd: tmpdir(),
    env: cleanEnvironment(environment),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect(stdout + stderr).not.toContain(SECRET)
  return { exitCode, stderr, document: stdout === "" ? {} : (JSON.parse(stdout) as Made) }
}

interface Made {
  readonly name?: string
  readonly entries?: number
  readonly removed?: readonly string[]
}

async function installation() {
  const created = createInstallation("")
  await runJson(created, "account", "create", "caller", "--credits", "1")
  await runJson(created, "key", "create", "--account", "caller")
  const workshop = join(created.data, "backup")
  return {
    data: created.data,
    /** Returns the files that remain in the work folder. */
    left: () => (existsSync(workshop) ? readdirSync(workshop) : []),
    restored: mkdtempSync(join(tmpdir(), "tollgate-restored-")),
    [Symbol.dispose]() {
      created[Symbol.dispose]()
      rmSync(this.restored, { recursive: true, force: true })
    },
  }
}

test.concurrent("a backup to a bucket is stored in parts, replaces the oldest backup, and can be restored", async () => {
  using place = await installation()
  const bucket = new FakeBucket()
  bucket.page = 2
  using server = bucket.listen()
  const at = server.url.origin
  const responses = join(place.data, "responses")
  mkdirSync(responses)
  for (const name of ["first", "second", "large"]) writeFileSync(join(responses, name), name)
  truncateSync(join(responses, "large"), 40_000_000)
  const first = (await run(place.data, at, "backup", PLACE)).document
  const second = (await run(place.data, at, "backup", `${PLACE}/`, "--keep", "2")).document
  const third = (await run(place.data, at, "backup", PLACE, "--keep", "2")).document
  expect(third.removed).toEqual([first.name ?? ""])
  const folders = new Set([...bucket.objects.keys()].map((path) => path.split("/")[4]))
  expect([...folders].toSorted()).toEqual([second.name, third.name])
  expect(place.left()).toEqual([])

  const { document, stderr } = await run(place.restored, at, "restore", PLACE)
  expect(stderr).toBe("")
  expect(document).toMatchObject({ backup: `${PLACE}/${third.name}`, entries: 1 })
  expect(Bun.file(join(place.restored, "responses/large")).size).toBe(40_000_000)
})

test.concurrent("a backup with missing or modified files in a bucket is not restored", async () => {
  using place = await installation()
  const bucket = new FakeBucket()
  using server = bucket.listen()
  const at = server.url.origin
  const { name } = (await run(place.data, at, "backup", PLACE)).document
  const path = `/shelf/of/tollgate/${name}/tollgate.db`
  const whole = bucket.objects.get(path)
  if (whole === undefined) throw new Error("the ledger is not there")
  bucket.objects.set(path, { ...whole, body: whole.body.slice(0, -1) })
  const torn = await run(place.restored, at, "restore", `${PLACE}/${name}`)
  expect(torn.stderr).toContain("bytes instead of")
  bucket.objects.delete(path)
  const lost = await run(place.restored, at, "restore", `${PLACE}/${name}`)
  expect(lost.stderr).toContain("tollgate.db is missing")
  bucket.objects.delete(`/shelf/of/tollgate/${name}/manifest.json`)
  const gone = await run(place.restored, at, "restore", `${PLACE}/${name}`)
  expect(gone.exitCode).toBe(4)
  expect(existsSync(join(place.restored, "tollgate.db"))).toBe(false)
})

test.concurrent("a backup to a bucket that rejects requests fails and leaves no backup", async () => {
  using place = await installation()
  const bucket = new FakeBucket()
  using server = bucket.listen()
  const at = server.url.origin
  const without = await run(place.data, "", "backup", PLACE)
  expect(without.stderr).toContain("Set AWS_ACCESS_KEY_ID")
  const nobody = await run(place.data, "http://127.0.0.1:1", "backup", PLACE)
  expect(nobody.stderr).toContain("it cannot be reached")
  for (const address of [`s3://id:${SECRET}@shelf/x`, "s3://Shelf", "s3:shelf", "s3://shelf?x=1"]) {
    const { exitCode, stderr } = await run(place.data, at, "backup", address)
    expect([address, exitCode, stderr]).toEqual([
      address,
      2,
      expect.stringContaining("Write s3://bucket/prefix"),
    ])
  }
  bucket.rejects = () => "AccessDenied"
  const rejected = await run(place.data, at, "backup", PLACE)
  expect(rejected.stderr).toContain("may list, read, write and delete")

  // The bucket becomes full when most of the backup is stored.
  bucket.rejects = (method, path) =>
    method === "PUT" && path.endsWith("manifest.json") ? "QuotaExceeded" : undefined
  const full = await run(place.data, at, "backup", PLACE)
  expect(full.exitCode).toBe(1)
  expect(full.stderr).toContain("QuotaExceeded")
  expect(bucket.objects.size).toBeGreaterThan(0)
  expect(place.left()).toEqual([])
  const none = await run(place.restored, at, "restore", PLACE)
  expect(none.exitCode).toBe(4)

  bucket.rejects = () => undefined
  const { name } = (await run(place.data, at, "backup", PLACE)).document
  const folders = new Set([...bucket.objects.keys()].map((path) => path.split("/")[4]))
  expect([...folders]).toEqual([name])
})

test.concurrent("a session token is sent only with the access key that belongs to it", async () => {
  using place = await installation()
  const bucket = new FakeBucket()
  const tokens = new Set<string | null>()
  bucket.hears = (headers) => void tokens.add(headers.get("x-amz-security-token"))
  using server = bucket.listen()
  const temporary = { ...keysAt(server.url.origin), AWS_SESSION_TOKEN: "of the environment" }
  await runIn(temporary, place.data, "backup", PLACE)
  expect([...tokens]).toEqual(["of the environment"])
  tokens.clear()
  const own = { S3_ACCESS_KEY_ID: "other", S3_SECRET_ACCESS_KEY: SECRET }
  const made = await runIn({ ...temporary, ...own }, place.data, "backup", PLACE)
  expect([made.exitCode, ...tokens]).toEqual([0, null])
  const half = await runIn({ ...temporary, S3_ACCESS_KEY_ID: "other" }, place.data, "backup", PLACE)
  expect(half.stderr).toContain("S3_SECRET_ACCESS_KEY")
})

test.concurrent("the upload of a file in parts is aborted after a failure", async () => {
  using place = await installation()
  const bucket = new FakeBucket()
  using server = bucket.listen()
  mkdirSync(join(place.data, "responses"))
  const large = join(place.data, "responses/large")
  writeFileSync(large, "")
  truncateSync(large, 100_000_000)
  let parts = 0
  bucket.rejects = (method, path) =>
    method === "PUT" && path.endsWith("large") && ++parts > 2 ? "QuotaExceeded" : undefined
  const full = await run(place.data, server.url.origin, "backup", PLACE)
  expect(full.stderr).toContain("QuotaExceeded")
  expect([parts > 2, bucket.uploads.size, place.left()]).toEqual([true, 0, []])
})

test.concurrent("a bucket's redirect is not followed", async () => {
  using place = await installation()
  let asked = 0
  using other = Bun.serve({ port: 0, fetch: () => new Response(`${++asked}`) })
  using server = Bun.serve({ port: 0, fetch: () => Response.redirect(other.url.href, 301) })
  const { exitCode, stderr } = await run(place.data, server.url.origin, "backup", PLACE)
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("status 301")])
  expect(stderr).toContain("AWS_REGION")
  expect([asked, place.left()]).toEqual([0, []])
})

test.concurrent("a backup of a PostgreSQL database fails, and the error names the tool to use", async () => {
  const yaml = `database: { url: "postgres://tollgate:not-a-secret@127.0.0.1:1/tollgate" }`
  using installation = createInstallation(yaml)
  for (const [command, tool] of [
    ["backup", "pg_dump --format=custom"],
    ["restore", "pg_restore"],
  ] as const) {
    const { exitCode, stderr } = await runCommand(installation, command, "/nowhere")
    expect(exitCode).toBe(1)
    expect(stderr).toContain(tool)
    expect(stderr).not.toContain("not-a-secret")
  }
})
