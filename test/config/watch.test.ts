import { afterEach, expect, test } from "bun:test"
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SettingsChanges } from "../../src/config/changes.ts"
import type { ConfigError } from "../../src/config/config-error.ts"
import { type LoadOptions, type LoadedSettings, loadSettings } from "../../src/config/load.ts"
import { type WatchOptions, watchSettings } from "../../src/config/watch.ts"
import { Folder } from "./harness.ts"

type Notice = { loaded: LoadedSettings; changes: SettingsChanges } | { error: ConfigError }

/** A watcher for settings. A test can wait for each of its callbacks in turn. */
class Watched implements AsyncDisposable {
  readonly watcher
  readonly #notices: Notice[] = []
  #wake = Promise.withResolvers<void>()

  constructor(load: LoadOptions, more: Partial<WatchOptions> = {}) {
    this.watcher = watchSettings({
      load: (file) => loadSettings({ ...load, ...(file !== undefined && { file }) }),
      started: loadSettings(load),
      onChange: (loaded, changes) => this.#add({ loaded, changes }),
      onError: (error) => this.#add({ error }),
      ...more,
    })
  }

  get pending(): number {
    return this.#notices.length
  }

  async changed(): Promise<{ loaded: LoadedSettings; changes: SettingsChanges }> {
    const notice = await this.#next()
    if ("error" in notice) throw notice.error
    return notice
  }

  async rejected(): Promise<ConfigError> {
    const notice = await this.#next()
    if (!("error" in notice)) throw new Error(`taken over: ${notice.changes.changed.join()}`)
    return notice.error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watcher[Symbol.asyncDispose]()
  }

  async #next(): Promise<Notice> {
    let notice = this.#notices.shift()
    while (!notice) {
      await this.#wake.promise
      this.#wake = Promise.withResolvers()
      notice = this.#notices.shift()
    }
    return notice
  }

  #add(notice: Notice): void {
    this.#notices.push(notice)
    this.#wake.resolve()
  }
}

const folders: Folder[] = []

function startFolder(text: string): Folder {
  const folder = new Folder()
  folders.push(folder)
  folder.write(text)
  return folder
}

afterEach(() => {
  for (const folder of folders.splice(0)) folder[Symbol.dispose]()
})

test("the settings watcher loads a changed file and reports the changes", async () => {
  const folder = startFolder(`
server: { port: 1 }
providers: { a: { vendor: ollama }, b: { vendor: ollama } }
models: { a/x: { multiplier: 1 } }
`)
  await using watched = new Watched(folder.options())
  folder.write(`
server: { port: 2, public_url: "http://x" }
timeouts: { connect: 1s }
providers: { a: { vendor: ollama }, c: { vendor: ollama } }
models: { a/x: { multiplier: 2 } }
`)
  const { loaded, changes } = await watched.changed()
  expect(loaded.settings.timeouts.connect).toBe(1_000)
  expect(changes.changed.toSorted()).toEqual([
    "models.a/x",
    "providers.b",
    "providers.c",
    "server.port",
    "server.public_url",
    "timeouts.connect",
  ])
  expect(changes.restartNeeded).toEqual(["server.port"])

  folder.write("server: { port: 2 }\nmultiplier: 3")
  const next = await watched.changed()
  expect(next.changes.changed).not.toContain("server.port")
  expect(next.changes.restartNeeded).toEqual(["server.port"])
})

test("after an invalid file, the settings watcher compares the next file with the last valid settings", async () => {
  const folder = startFolder("multiplier: 1")
  await using watched = new Watched(folder.options())
  folder.write("multiplier: 2\ntimeouts: { conect: 1s }")
  const error = await watched.rejected()
  expect(error.problems[0]).toMatchObject({ line: 2, path: "timeouts" })
  folder.write("multiplier: 2")
  expect((await watched.changed()).changes.changed).toEqual(["multiplier"])
})

test("the settings watcher follows a file that is repeatedly replaced by a renamed file", async () => {
  const folder = startFolder("multiplier: 1")
  await using watched = new Watched(folder.options())
  for (const multiplier of ["2", "3", "4"]) {
    const draft = join(folder.path, ".tollgate.yaml.swp")
    writeFileSync(draft, `multiplier: ${multiplier}`)
    rmSync(folder.file)
    renameSync(draft, folder.file)
    expect((await watched.changed()).loaded.settings.multiplier).toBe(multiplier)
  }
})

test("the settings watcher loads an empty file only if the file stays empty", async () => {
  const folder = startFolder("multiplier: 2")
  await using watched = new Watched(folder.options())
  const start = performance.now()
  truncateSync(folder.file)
  expect((await watched.changed()).loaded.settings.multiplier).toBe("1")
  expect(performance.now() - start).toBeGreaterThan(1_500)
})

test("the settings watcher reports a missing file as an error", async () => {
  const folder = startFolder("multiplier: 2")
  await using watched = new Watched(folder.options())
  rmSync(folder.file)
  expect((await watched.rejected()).message).toContain("was deleted. Restore it")
  folder.write("multiplier: 3")
  expect((await watched.changed()).loaded.settings.multiplier).toBe("3")
})

test("the settings watcher follows a link that is switched to another folder", async () => {
  const folder = startFolder("")
  for (const version of ["1", "2"]) {
    mkdirSync(join(folder.path, version))
    writeFileSync(join(folder.path, version, "tollgate.yaml"), `multiplier: ${version}`)
  }
  rmSync(folder.file)
  symlinkSync("1", join(folder.path, "..data"))
  symlinkSync("..data/tollgate.yaml", folder.file)
  await using watched = new Watched(folder.options())
  symlinkSync("2", join(folder.path, "..next"))
  renameSync(join(folder.path, "..next"), join(folder.path, "..data"))
  expect((await watched.changed()).loaded.settings.multiplier).toBe("2")
})

test("the settings watcher follows a linked file that is written in place", async () => {
  const folder = startFolder("multiplier: 1")
  const other = startFolder("")
  rmSync(other.file)
  symlinkSync(folder.file, other.file)
  await using watched = new Watched(other.options())
  folder.write("multiplier: 2")
  expect((await watched.changed()).loaded.settings.multiplier).toBe("2")
})

test("the settings watcher loads a file that did not exist before", async () => {
  const folder = startFolder("")
  rmSync(folder.file)
  const before = process.cwd()
  process.chdir(folder.path)
  try {
    const { file: _file, ...load } = folder.options()
    await using watched = new Watched(load)
    folder.write("multiplier: 2")
    expect((await watched.changed()).loaded.file).toBe(folder.file)
  } finally {
    process.chdir(before)
  }
})

test("a reload reads the settings file immediately and returns the result", async () => {
  const folder = startFolder("multiplier: 1")
  const environment: Record<string, string> = { FACTOR: "1" }
  folder.write('multiplier: "${FACTOR}"')
  await using watched = new Watched(folder.options(environment))
  expect(await watched.watcher.reload()).toBe("unchanged")
  environment.FACTOR = "2"
  expect(await watched.watcher.reload()).toBe("changed")
  expect((await watched.changed()).loaded.settings.multiplier).toBe("2")
  environment.FACTOR = "x"
  expect(await watched.watcher.reload()).toBe("rejected")
  expect((await watched.rejected()).problems[0]).toMatchObject({ line: 1, path: "multiplier" })
  expect(watched.pending).toBe(0)
})

test("the settings watcher keeps the active settings if new settings cannot be applied", async () => {
  const folder = startFolder("multiplier: 1")
  let failing = true
  const taken: string[] = []
  await using watched = new Watched(folder.options(), {
    onChange: ({ settings }) => {
      if (failing) throw new Error("no room")
      taken.push(settings.multiplier)
    },
  })
  folder.write("multiplier: 2")
  expect(await watched.watcher.reload()).toBe("rejected")
  expect((await watched.rejected()).message).toContain("could not be applied")
  failing = false
  expect(await watched.watcher.reload()).toBe("changed")
  expect(taken).toEqual(["2"])
})

test("the settings watcher runs no callbacks after it is stopped", async () => {
  const folder = startFolder("multiplier: 1")
  const watched = new Watched(folder.options())
  folder.write("multiplier: 2")
  await watched[Symbol.asyncDispose]()
  expect(await watched.watcher.reload()).toBe("unchanged")
  expect(watched.pending).toBe(0)
})

test("the settings watcher reports changed storage limits by name", async () => {
  const folder = startFolder("multiplier: 1")
  await using watched = new Watched(folder.options())
  folder.write(
    "multiplier: 1\nresponses: { keep: off, account_mb: 1 }\nidempotency: { total_mb: 9 }\nretention: { contents: 7d, receipts: 400d }",
  )
  const { changes } = await watched.changed()
  expect(changes.changed.toSorted()).toEqual([
    "idempotency.total_mb",
    "responses.account_mb",
    "responses.keep",
    "retention.contents",
    "retention.receipts",
  ])
})
