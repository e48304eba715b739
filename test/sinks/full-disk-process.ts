/** A process that delivers lines to a file whose size is limited for some time, as on a full disk. */
import { RotatingFile } from "../../src/sinks/rotating-file.ts"

const [path = ""] = process.argv.slice(2)
const lines = Array.from({ length: 30 }, (_, index) => `${index} ${"x".repeat(96)}`)
const batch = { id: "1", since: 0, size: 0, lines }
await using file = new RotatingFile({ path, rotateBytes: 1e9, keep: 1 })
const failures: string[] = []
for (let attempt = 0; ; attempt++) {
  if (attempt === 2) Bun.spawnSync(["prlimit", "--fsize=unlimited", "--pid", String(process.pid)])
  try {
    await file.deliver(batch)
    break
  } catch (error) {
    failures.push(String(error))
  }
}
console.log(JSON.stringify(failures))
