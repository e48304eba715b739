import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { RotatingFile } from "../../src/sinks/rotating-file.ts"

const folder = mkdtempSync(join(tmpdir(), "tollgate-lines-"))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
const fresh = () => join(folder, String(++count), "requests.jsonl")
const batch = (...lines: string[]) => ({ id: String(++count), since: 0, size: 0, lines })
const settings = (path: string, more = {}) => ({ path, rotateBytes: 1_000, keep: 3, ...more })
/** Returns every line in all files of a folder. */
const all = (path: string) =>
  readdirSync(dirname(path))
    .toSorted()
    .flatMap((name) => readFileSync(join(dirname(path), name), "utf8").split("\n"))
    .filter((line) => line !== "")
const names = (path: string) => readdirSync(dirname(path)).filter((name) => !path.endsWith(name))

test("log lines are appended to a file that only its user and group can read", async () => {
  const path = fresh()
  await using file = new RotatingFile(settings(path))
  await file.deliver(batch("a", "b"))
  await file.deliver(batch("ü"))
  expect(readFileSync(path, "utf8")).toBe("a\nb\nü\n")
  expect(statSync(path).mode & 0o007).toBe(0)
})

test("a large log file is rotated, and only a limited number of files is kept", async () => {
  const path = fresh()
  await using file = new RotatingFile(settings(path))
  const line = `{${"x".repeat(299)}`
  for (let index = 0; index < 12; index++) await file.deliver(batch(line))
  expect(names(path)).toHaveLength(2)
  expect(all(path)).toHaveLength(12)
  for (let index = 0; index < 20; index++) await file.deliver(batch(line))
  expect(names(path)).toHaveLength(3)
  for (const name of names(path)) {
    expect(name).toMatch(/^requests-\d{8}T\d{9}Z-\w{6}\.jsonl$/)
    expect(statSync(join(dirname(path), name)).size).toBe(4 * 301)
  }
})

test("log files that the gateway did not rotate are never deleted", async () => {
  const path = fresh()
  mkdirSync(dirname(path))
  const others = ["requests-a.jsonl", "requests.jsonl.1", "requests-20261123T000000000Z-abcdef.gz"]
  for (const name of others) writeFileSync(join(dirname(path), name), "theirs\n")
  await using file = new RotatingFile(settings(path, { keep: 0 }))
  for (let index = 0; index < 9; index++) await file.deliver(batch(`{${"x".repeat(600)}`))
  expect(names(path).toSorted()).toEqual(others.toSorted())
})

test("a log file that another program moved or deleted is created again", async () => {
  const path = fresh()
  await using file = new RotatingFile(settings(path))
  await file.deliver(batch("a"))
  renameSync(path, `${path}.moved`)
  await file.deliver(batch("b"))
  expect(readFileSync(path, "utf8")).toBe("b\n")
  rmSync(dirname(path), { recursive: true })
  await file.deliver(batch("c"))
  expect(all(path)).toEqual(["c"])
})

test("several writers share a log file and its rotation, and no line is lost", async () => {
  const path = fresh()
  const files = Array.from({ length: 4 }, () => new RotatingFile(settings(path, { keep: 1_000 })))
  const expected: string[] = []
  await Promise.all(
    files.map(async (file, writer) => {
      for (let index = 0; index < 60; index++) {
        const lines = [`{${writer} ${index} ${"x".repeat(90)}}`, `{${writer} ${index}}`]
        expected.push(...lines)
        await file.deliver(batch(...lines))
      }
    }),
  )
  expect(all(path).toSorted()).toEqual(expected.toSorted())
  expect(names(path).length).toBeGreaterThan(5)
  for (const file of files) await file[Symbol.asyncDispose]()
})

test.each(["a folder", "a device"])(
  "%s in place of the log file causes a readable error",
  async (kind) => {
    const path = fresh()
    mkdirSync(dirname(path))
    if (kind === "a folder") mkdirSync(path)
    else symlinkSync("/dev/full", path)
    await using file = new RotatingFile(settings(path))
    const failure = await file.deliver(batch("a")).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: "LineDeliveryError",
      message: "it is not a regular file",
    })
  },
)

test("a log folder that cannot be created causes a readable error, and is used when it can be created", async () => {
  const path = fresh()
  writeFileSync(dirname(path), "in the way")
  await using file = new RotatingFile(settings(path))
  const failure = await file.deliver(batch("a")).catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: "LineDeliveryError", fault: "destination" })
  rmSync(dirname(path))
  await file.deliver(batch("a"))
  expect(readFileSync(path, "utf8")).toBe("a\n")
})

test("a full disk truncates at most one log line, and no other line is lost", async () => {
  const path = fresh()
  const script = Bun.fileURLToPath(new URL("full-disk-process.ts", import.meta.url))
  // If the signal is ignored, a file beyond the size limit causes an error. The limit is in units of 512 or 1,024
  // bytes.
  const limited = `trap "" XFSZ; ulimit -S -f 2; exec "$0" "$@"`
  const child = Bun.spawn(["sh", "-c", limited, process.execPath, script, path], {
    stdout: "pipe",
    stderr: "inherit",
  })
  const failures = JSON.parse(await new Response(child.stdout).text()) as string[]
  expect(failures).toHaveLength(2)
  for (const failure of failures) expect(failure).toContain("EFBIG")
  const written = all(path)
  const whole = written.filter((line) => /^\d+ x{96}$/.test(line))
  expect(whole.map((line) => Number(line.split(" ")[0]))).toEqual([...Array(30).keys()])
  expect(written.length - whole.length).toBe(1)
})

test("an unfinished log line of another process stays separate from later lines", async () => {
  const path = fresh()
  mkdirSync(dirname(path))
  writeFileSync(path, '{"a":1}\n{"b":')
  await using file = new RotatingFile(settings(path))
  await file.deliver(batch('{"c":1}'))
  await file.deliver(batch('{"d":1}'))
  expect(readFileSync(path, "utf8")).toBe('{"a":1}\n{"b":\n{"c":1}\n{"d":1}\n')
})

test.each([
  ["settings", "providers: {}\n"],
  ["a database", "SQLite format 3\0"],
  ["a large one", "\n".repeat(2_000)],
])("the log does not change a file with other content: %s", async (_, text) => {
  const path = fresh()
  mkdirSync(dirname(path))
  writeFileSync(path, text)
  await using file = new RotatingFile(settings(path))
  const failure = await file.deliver(batch("{}")).catch((error: unknown) => error)
  expect(failure).toMatchObject({ message: "the file contains data other than JSON lines" })
  expect(readFileSync(path, "utf8")).toBe(text)
  expect(names(path)).toEqual([])
})
