import { existsSync, type FSWatcher, readFileSync, realpathSync, watch } from "node:fs"
import { dirname, resolve } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { type SettingsChanges, settingsChanges } from "./changes.ts"
import { ConfigError } from "./config-error.ts"
import { DEFAULT_FILE } from "./file.ts"
import type { LoadedSettings } from "./load.ts"

export interface WatchOptions {
  /**
   * Loads the settings.
   * @param file the path of the file that was read before; absent if there was none.
   * @throws ConfigError
   */
  load(file?: string): LoadedSettings | Promise<LoadedSettings>
  /** The settings the process started with. */
  readonly started: LoadedSettings
  /** Applies new settings. It is only called if something changed. */
  onChange(loaded: LoadedSettings, changes: SettingsChanges): void | Promise<void>
  /** Reports why new settings were not applied. The previous settings stay active. */
  onError(error: ConfigError): void
}

/**
 * The result of reading the settings again. `rejected`: the new settings are invalid, and the previous ones stay
 * active.
 */
export type ReloadOutcome = "changed" | "unchanged" | "rejected"

/** Applies changed settings without a restart, until it is disposed of. */
export interface SettingsWatcher extends AsyncDisposable {
  /** Reads the settings again, after SIGHUP or on file systems that report no changes. */
  reload(): Promise<ReloadOutcome>
}

/**
 * Saving a file causes several events, such as truncate, write and rename. The file is read after a pause of this
 * length.
 */
const SETTLE_MS = 60

/** A file that is missing or empty for longer than this counts as deleted on purpose. */
const MAX_ABSENCE_MS = 2_000

export function watchSettings(options: WatchOptions): SettingsWatcher {
  return new FileWatcher(options)
}

class FileWatcher implements SettingsWatcher {
  readonly #options: WatchOptions
  readonly #file: string
  readonly #watchers: FSWatcher[] = []
  readonly #closed = new AbortController()
  #current: LoadedSettings
  /** The text that was read last. Events that do not change it are ignored. */
  #text: string | undefined
  #checking = false
  #eventPending = false
  #queue: Promise<unknown> = Promise.resolve()

  constructor(options: WatchOptions) {
    this.#options = options
    this.#current = options.started
    this.#file = options.started.file ?? resolve(DEFAULT_FILE)
    this.#text = this.#readText()
    for (const directory of watchedDirectories(this.#file)) this.#watch(directory)
  }

  reload(): Promise<ReloadOutcome> {
    const outcome = this.#queue.then(() => this.#load())
    this.#queue = outcome.catch(() => undefined)
    return outcome
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    for (const watcher of this.#watchers) watcher.close()
    await this.#queue
  }

  /** Watches a directory, because a watch on the file would end if an editor replaced the file. */
  #watch(directory: string): void {
    const unwatchable = (cause: unknown) =>
      this.#report("cannot be watched. Send SIGHUP after a change", cause)
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#noticed())
      watcher.on("error", unwatchable)
      this.#watchers.push(watcher)
    } catch (cause) {
      unwatchable(cause)
    }
  }

  /** Starts a check of the file, or schedules another one after the current check. */
  #noticed(): void {
    this.#eventPending = true
    if (this.#checking) return
    this.#checking = true
    void this.#check()
  }

  async #check(): Promise<void> {
    while (this.#eventPending && !this.#closed.signal.aborted) {
      this.#eventPending = false
      const text = await this.#settledText()
      if (text === this.#text || this.#closed.signal.aborted) continue
      this.#text = text
      await this.reload()
    }
    this.#checking = false
  }

  /** Returns the text when two consecutive reads are equal, so that a half-written file is not used. */
  async #settledText(): Promise<string | undefined> {
    const deadline = Date.now() + MAX_ABSENCE_MS
    let text = this.#readText()
    while (!this.#closed.signal.aborted) {
      await Bun.sleep(SETTLE_MS)
      const next = this.#readText()
      const blank = next === undefined || next.trim() === ""
      if (next === text && (!blank || next === this.#text || Date.now() > deadline)) return next
      text = next
    }
    return text
  }

  #readText(): string | undefined {
    try {
      return readFileSync(this.#file, "utf8")
    } catch {
      return undefined
    }
  }

  async #load(): Promise<ReloadOutcome> {
    if (this.#closed.signal.aborted) return "unchanged"
    const { load, started, onChange } = this.#options
    try {
      const { file } = this.#current
      if (file !== undefined && !existsSync(file)) {
        this.#report("was deleted. Restore it, or restart without it", undefined)
        return "rejected"
      }
      const loaded = await load(file)
      if (this.#closed.signal.aborted) return "unchanged"
      const before = this.#current.settings
      const changes = settingsChanges(started.settings, before, loaded.settings)
      // If the file now sets a setting to its active value, the value stays the same, but the console can no longer
      // change it.
      const isWrittenAlike = isDeepStrictEqual(this.#current.written, loaded.written)
      if (changes.changed.length === 0 && isWrittenAlike) return "unchanged"
      await onChange(loaded, changes)
      this.#current = loaded
      return "changed"
    } catch (error) {
      if (error instanceof ConfigError) this.#options.onError(error)
      else this.#report("could not be applied. Restart to use it", error)
      return "rejected"
    }
  }

  #report(message: string, cause: unknown): void {
    const problem = { file: this.#file, path: "", message }
    this.#options.onError(new ConfigError([problem], { cause }))
  }
}

/** Returns the directory of the file and, if the file is a symbolic link, the directory of its target. */
function watchedDirectories(file: string): Set<string> {
  const directories = new Set([dirname(file)])
  try {
    directories.add(dirname(realpathSync(file)))
  } catch {
    // The file may not exist yet.
  }
  return directories
}
