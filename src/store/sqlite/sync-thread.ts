import { closeSync, fdatasyncSync, openSync } from "node:fs"

/** How often it brings to the disk what was written since, milliseconds. */
const SYNC_EVERY = 50

declare const self: Worker

let end = (): void => {}

/** The path of a file that is being written; then null, which is answered when the file is closed. */
self.addEventListener("message", ({ data: path }: MessageEvent<string | null>) => {
  if (path === null) {
    end()
    self.postMessage(null)
    return
  }
  const file = openSync(path, "r+")
  const timer = setInterval(() => sync(file), SYNC_EVERY)
  end = () => {
    clearInterval(timer)
    closeSync(file)
  }
})

/** Who writes the file says what is wrong with the disk. */
function sync(file: number): void {
  try {
    fdatasyncSync(file)
  } catch {
    // It is tried again, and once more when all is written.
  }
}
