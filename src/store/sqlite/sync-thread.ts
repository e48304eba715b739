import { closeSync, fdatasyncSync, openSync } from "node:fs"

const SYNC_INTERVAL_MS = 50

declare const self: Worker

let end = (): void => {}

/**
 * The first message is the path of a file that is being written. The second message is null, which is answered after
 * the file is closed.
 */
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

/** Syncs a file. The thread that writes the file reports disk errors. */
function sync(file: number): void {
  try {
    fdatasyncSync(file)
  } catch {
    // The sync is repeated while the file is written, and once more at the end.
  }
}
