/** A process that takes units from one bucket in shared memory as often as possible, and reports their number. */
import { SharedBuckets } from "../../src/limits/shared-buckets.ts"
import { Machine } from "../../src/machine/machine.ts"
import { WordTable } from "../../src/machine/word-table.ts"

const [, , folder = "", limit = "0", tries = "0", moment = "0"] = process.argv
using machine = new Machine(folder)
const counters = machine.memory.counters()
const buckets = new SharedBuckets(machine.memory)
const table = new WordTable(machine.memory.bigWords("circuits"), 8)

// Waits until all processes are ready, so that they begin at the same time.
Atomics.add(counters, 1_000, 1)
while (Atomics.load(counters, 1_000) < 4) await Bun.sleep(1)

// All processes use the same time, because units would become available again while a process waits for the processor.
const now = Number(moment)
let passed = 0
let slots = 0
for (let count = 0; count < Number(tries); count++) {
  const bucket = buckets.requests("key", Number(limit), now)
  if (bucket.take(1, Number(limit), 1, now) === 0) passed++
  if (table.make(`name ${count % 1_000}`, () => 0).wasFree) slots++
}
process.stdout.write(JSON.stringify({ passed, slots }))
