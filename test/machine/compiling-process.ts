/** Compiles code while background threads have a lower priority, and prints the niceness of its threads by name. */
import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { BackgroundThreads } from "../../src/machine/background-threads.ts"

const ENOUGH = 20_000

function niceness(): Record<string, number[]> {
  const found: Record<string, number[]> = { main: [getPriority(process.pid)] }
  for (const thread of readdirSync("/proc/self/task")) {
    if (Number(thread) === process.pid) continue
    try {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trimEnd()
      ;(found[name] ??= []).push(getPriority(Number(thread)))
    } catch {
      // The thread has ended since the list was read.
    }
  }
  return found
}

using _ = new BackgroundThreads()
const end = performance.now() + ENOUGH
let found = niceness()
let sum = 0
const isLowered = (): boolean => found["JITWorker"]?.every((nice) => nice > 0) ?? false
while (!isLowered() && performance.now() < end) {
  for (let index = 0; index < 100_000; index++) sum += Math.sqrt(index) % 7
  // Waits for the timer that sets the priority of threads.
  await Bun.sleep(1)
  found = niceness()
}
console.log(JSON.stringify({ ...found, sum: [sum] }))
