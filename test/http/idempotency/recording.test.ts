import { expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ResponseFolder } from "../../../src/http/idempotency/response-folder.ts"
import { Recording, type RecordingReader } from "../../../src/http/idempotency/recording.ts"
import { CutShort } from "../../../src/http/idempotency/recorded-body.ts"
import { FolderFiles } from "../../../src/store/sqlite/folder-files.ts"
import { until } from "../../support/until.ts"

const HEAD = { status: 200, headers: { "content-type": "text/plain" } }
const CHUNK = 100_000
const SECRET = "0".repeat(64)

class ResponseFiles implements Disposable {
  readonly data = mkdtempSync(join(tmpdir(), "tollgate-answers-"))
  readonly path = join(this.data, "responses")
  readonly files = new FolderFiles(join(this.data, "tollgate.db"), "responses")
  readonly folder = new ResponseFolder(this.path, SECRET, this.files)
  wasAbandoned = false
  readonly failures: unknown[] = []

  recording(limit: number): Recording {
    const recording = new Recording({
      folder: this.folder,
      request: "req_1",
      limit,
      onAbandoned: () => {
        this.wasAbandoned = true
      },
      onFailure: (error) => this.failures.push(error),
    })
    recording.begin(HEAD)
    return recording
  }

  [Symbol.dispose](): void {
    rmSync(this.data, { recursive: true, force: true })
  }
}

function chunk(number: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(CHUNK).fill(number)
}

function joined(recording: Recording): RecordingReader {
  const reader = recording.join()
  if (!reader) throw new Error("it is too late to join")
  return reader
}

async function readAll(reader: RecordingReader): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for (let next = await reader.read(); next; next = await reader.read()) chunks.push(next)
  reader.leave()
  return Buffer.concat(chunks)
}

const WHOLE = Buffer.concat(Array.from({ length: 50 }, (_, number) => chunk(number)))

async function record(recording: Recording): Promise<void> {
  for (let number = 0; number < 49; number++) await recording.add(chunk(number))
}

test("readers that join at any time get the whole response, and do not wait for slow readers", async () => {
  using responses = new ResponseFiles()
  const recording = responses.recording(1 << 30)
  const [slow, quick] = [joined(recording), joined(recording)]
  const first = await Promise.all([record(recording), slow.read()])
  expect(first[1]?.byteLength).toBe(CHUNK)
  const late = joined(recording)
  const reading = [readAll(quick), readAll(late)]
  expect(await recording.store(chunk(49), "whole")).toBeGreaterThan(WHOLE.length)
  recording.end(chunk(49), "whole")
  for (const bytes of await Promise.all(reading)) expect(bytes.equals(WHOLE)).toBe(true)
  const rest = await readAll(slow)
  expect(rest.equals(WHOLE.subarray(CHUNK))).toBe(true)
  expect(responses.wasAbandoned).toBe(false)
  const stored = await responses.folder.open("req_1")
  expect(stored).toMatchObject({ head: HEAD, ending: "whole", length: WHOLE.length })
  await using _ = stored!
  const chunks: Uint8Array[] = []
  for (let next = await stored!.next(); next; next = await stored!.next()) chunks.push(next)
  expect(Buffer.concat(chunks).equals(WHOLE)).toBe(true)
  expect(Math.max(...chunks.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(1 << 18)
})

test("a recording above its size limit waits for its slowest reader, and is not stored", async () => {
  using responses = new ResponseFiles()
  const recording = responses.recording(10 * CHUNK)
  const [slow, quick] = [joined(recording), joined(recording)]
  const recorded = record(recording).then(async () => {
    expect(await recording.store(chunk(49), "whole")).toBeUndefined()
    recording.end(chunk(49), "whole")
  })
  const quickly = readAll(quick)
  await until(() => recording.isTooLarge && quick.position === recording.length)
  expect(recording.length).toBeLessThan(WHOLE.length)
  expect(recording.join()).toBeUndefined()
  expect((await readAll(slow)).equals(WHOLE)).toBe(true)
  expect((await quickly).equals(WHOLE)).toBe(true)
  await recorded
})

test("readers of a recording get the whole response even if the disk cannot be written", async () => {
  using responses = new ResponseFiles()
  const recording = responses.recording(1 << 30)
  rmSync(responses.path, { recursive: true })
  writeFileSync(responses.path, "")
  const reading = readAll(joined(recording))
  await record(recording)
  recording.end(chunk(49), "whole")
  expect((await reading).equals(WHOLE)).toBe(true)
  expect(responses.failures).toHaveLength(1)
})

test("a recording whose source breaks ends with the error for all readers", async () => {
  using responses = new ResponseFiles()
  const recording = responses.recording(1 << 30)
  const reader = joined(recording)
  await recording.add(chunk(1))
  await recording.store(undefined, "cut")
  recording.end(undefined, "cut")
  expect((await reader.read())?.byteLength).toBe(CHUNK)
  await expect(reader.read()).rejects.toBeInstanceOf(CutShort)
  reader.leave()
  await using stored = await responses.folder.open("req_1")
  expect(stored).toMatchObject({ ending: "cut", length: CHUNK })
})

test("a recording continues when its last reader disconnects, unless it cannot be stored", async () => {
  using responses = new ResponseFiles()
  const kept = responses.recording(1 << 30)
  joined(kept).leave()
  expect(responses.wasAbandoned).toBe(false)
  await kept.add(chunk(1))
  expect((await joined(kept).read())?.byteLength).toBe(CHUNK)
  kept.end(undefined, "whole")

  const recording = responses.recording(0)
  const readers = [joined(recording), joined(recording)]
  const waiting = readers[0]?.read()
  readers[0]?.leave()
  expect(await waiting).toBeUndefined()
  expect(responses.wasAbandoned).toBe(false)
  readers[1]?.leave()
  expect(responses.wasAbandoned).toBe(true)
  expect(recording.join()).toBeUndefined()
})

test("a recording without readers is abandoned when it becomes too large to store", async () => {
  using responses = new ResponseFiles()
  const recording = responses.recording(10 * CHUNK)
  joined(recording).leave()
  await record(recording)
  expect(responses.wasAbandoned).toBe(true)
  expect(recording.join()).toBeUndefined()
  recording.end(undefined, "cut")
})

test("a recording that was modified, truncated, renamed or encrypted by another secret is rejected", async () => {
  using responses = new ResponseFiles()
  const recording = responses.recording(1 << 30)
  const reader = joined(recording)
  await recording.add(chunk(1))
  await recording.store(chunk(2), "whole")
  recording.end(chunk(2), "whole")
  reader.leave()
  const path = join(responses.path, "req_1")
  const whole = readFileSync(path)
  expect(whole.includes("text/plain")).toBe(false)
  const changed = Buffer.from(whole)
  changed[5_000] = (changed[5_000] ?? 0) ^ 1
  const damaged = {
    req_changed: changed,
    req_renamed: whole,
    req_cut: whole.subarray(0, -21),
    req_half: whole.subarray(0, 5_000),
    req_long: Buffer.from("ffffffff00", "hex"),
    req_empty: Buffer.alloc(0),
  }
  for (const [name, bytes] of Object.entries(damaged)) {
    writeFileSync(join(responses.path, name), bytes)
    expect([name, await responses.folder.open(name)]).toEqual([name, undefined])
  }
  expect(
    await new ResponseFolder(responses.path, "1".repeat(64), responses.files).open("req_1"),
  ).toBeUndefined()
  await using good = await responses.folder.open("req_1")
  expect(good?.length).toBe(2 * CHUNK)
})

test("a periodic cleanup removes old recordings", async () => {
  using responses = new ResponseFiles()
  writeFileSync(join(responses.path, "req_old"), "")
  await responses.folder.sweep(Date.now() - 60_000)
  expect(readdirSync(responses.path)).toEqual(["req_old"])
  await responses.folder.sweep(Date.now() + 60_000)
  expect(readdirSync(responses.path)).toEqual([])
})

test("a missing recordings folder is created, and a file in place of the folder is treated as empty", async () => {
  using responses = new ResponseFiles()
  rmSync(responses.path, { recursive: true })
  const head = { status: 200, headers: {} }
  const file = await responses.folder.create("req_1", head)
  await file.finish("whole")
  await file.close()
  await using stored = await responses.folder.open("req_1")
  expect(stored).toMatchObject({ head, ending: "whole" })
  rmSync(responses.path, { recursive: true })
  writeFileSync(responses.path, "")
  expect(await responses.folder.open("req_1")).toBeUndefined()
})
