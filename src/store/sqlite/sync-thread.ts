import { closeSync, fdatasyncSync, openSync } from "node:fs"

const SYNC_INTERVAL_MS = 50

declare const self: Worker

let end = (): void => {}

/** Receives the path of a file that is being written; then null, which is answered after the file is closed. */
self.addEventListener("message", ({ data: path }: MessageEvent<string | null>) => {
  if (path === null) {
    end()
    self.postMessage(null)
    return
  }
  const file = openSync(path, "r+")
  const timer = setInterval(() => sync(file), SYNC_INTERVAL_MS)
  end = () => {
    clearInterval(timer)
    closeSync(file)
  }
})

/** Syncs a file. The thread that writes the file reports errors of the disk. */
function sync(file: number): void {
  try {
    fdatasyncSync(file)
  } catch {
    // The next sync retries, and a last one follows after the file is written.
  }
}
