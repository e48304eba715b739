/**
 * Loaded before the program by a test (`BUN_OPTIONS=--preload`). JSON with a certain text blocks the event loop
 * forever, as a bug could. The module also reports when the watchdog's thread is running.
 */
import { writeSync } from "node:fs"

const SPIN = "spin-forever"
const STANDARD_ERROR = 2

const parse = JSON.parse
JSON.parse = (text: string, reviver?: (key: string, value: unknown) => unknown): unknown => {
  if (typeof text === "string" && text.includes(SPIN)) for (;;);
  return parse(text, reviver)
}

globalThis.Worker = class extends Worker {
  constructor(address: string | URL, options?: WorkerOptions) {
    super(address, options)
    if (!String(address).includes("watchdog")) return
    this.addEventListener("open", () => void writeSync(STANDARD_ERROR, "the watchdog watches\n"))
  }
}
