/**
 * Loaded before the program by a test (`BUN_OPTIONS=--preload`). JSON with a certain text blocks the event loop
 * forever, as a bug could. The watchdog measures processor time, and the parent of workers measures no time, so that a
 * busy machine restarts no other process. The module also reports when the watchdog's thread is running.
 */
import { writeSync } from "node:fs"

const SPIN = "spin-forever"
const STANDARD_ERROR = 2
const CLOCK = Bun.fileURLToPath(new URL("./processor-clock.ts", import.meta.url))
const { TOLLGATE_WORKERS = "1", TOLLGATE_WORKER_NUMBER } = process.env

const parse = JSON.parse
JSON.parse = (text: string, reviver?: (key: string, value: unknown) => unknown): unknown => {
  if (typeof text === "string" && text.includes(SPIN)) for (;;);
  return parse(text, reviver)
}

if (TOLLGATE_WORKERS !== "1" && TOLLGATE_WORKER_NUMBER === undefined) performance.now = () => 0

globalThis.Worker = class extends Worker {
  constructor(address: string | URL, options?: WorkerOptions) {
    const isWatchdog = String(address).includes("watchdog")
    super(address, isWatchdog ? { ...options, preload: CLOCK } : options)
    if (!isWatchdog) return
    this.addEventListener("open", () => void writeSync(STANDARD_ERROR, "the watchdog watches\n"))
  }
}
