import { afterAll, expect, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkLines } from "../../src/cli/doctor-lines.ts"

const folder = mkdtempSync(join(tmpdir(), "tollgate-doctor-lines-"))
afterAll(() => rmSync(folder, { recursive: true }))

const SECRET = "canary-of-an-address"
const LOG = { requests: false, queueBytes: 1_000 }
const KEYS = { accessKeyId: "id", secretAccessKey: SECRET }

async function checkFile(path: string) {
  const [check] = await checkLines({ ...LOG, file: { path, rotateBytes: 1_000, keep: 1 } })
  return check
}

async function checkAddress(url: string, allowsPrivate: boolean) {
  const http = { url, headers: {}, allowsPrivate, isCompressed: true, every: 1_000 }
  const place = { bucket: "b", endpoint: url, ...KEYS }
  const bucket = { place, prefix: "", allowsPrivate, every: 1_000 }
  return await checkLines({ ...LOG, http, bucket })
}

test("doctor lists no checks of log sinks if no log sink is configured", async () => {
  expect(await checkLines(LOG)).toEqual([])
})

test("doctor checks a log file without creating it", async () => {
  const path = join(folder, "a/b/requests.jsonl")
  expect(await checkFile(path)).toEqual({ name: "log.file", result: "ok", found: path })
  expect(existsSync(join(folder, "a"))).toBe(false)
})

test("doctor names the part of a log file path that prevents writing", async () => {
  writeFileSync(join(folder, "file"), "")
  expect(await checkFile(folder)).toMatchObject({
    result: "failed",
    found: `${folder} is not a file`,
  })
  const below = await checkFile(join(folder, "file/requests.jsonl"))
  expect(below).toMatchObject({ result: "failed", found: `${folder}/file is not a folder` })
})

test("doctor rejects private addresses of log sinks unless they are allowed, and hides secrets", async () => {
  const url = `http://127.0.0.1:9/x?token=${SECRET}`
  for (const check of await checkAddress(url, true)) {
    expect(check).toMatchObject({ result: "ok", found: "127.0.0.1:9" })
  }
  const rejected = await checkAddress(url, false)
  expect(rejected.map(({ name }) => name)).toEqual(["log.http", "log.s3"])
  for (const { result, found, fix } of rejected) {
    expect([result, found]).toEqual(["failed", "127.0.0.1:9: it is not on the public internet"])
    expect(fix).toContain("private: true")
  }
  expect(JSON.stringify(rejected)).not.toContain(SECRET)
})

test("doctor reports an unknown host name of a log sink", async () => {
  const [check] = await checkAddress("https://logs.invalid/x", false)
  expect(check).toMatchObject({ result: "failed", found: "logs.invalid: its name is unknown" })
})
